/**
 * Runs every outgoing client in a network namespace (without-route.test.ts), in situations in which connections fail at
 * once, and prints what each answered. A client that throws outside of its promise ends the process.
 *
 * The names of servers are in the namespace's own /etc/hosts. All addresses are for documentation (RFC 5737, RFC 3849).
 */
import { execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createResolver, refreshLists } from "@mailvet/engine";
import { createConnect, destroySocket, type Egress } from "../../engine/src/smtp/client/connect.ts";
import { createClient } from "../../sdk/src/client.ts";
import { createLanguageModel } from "../src/adjudication/language-model.ts";
import { createS3Store } from "../src/blobs/s3-store.ts";
import { createMailer } from "../src/mail/mailer.ts";
import { openTracing } from "../src/otlp-tracing.ts";
import { createLinkDownload } from "../src/uploads/link-download.ts";
import { createPost } from "../src/webhooks/http-post.ts";

export type ClientReport = { situation: string; client: string; answer: string };

const HOSTS = { "ipv4.example": "192.0.2.1", "ipv6.example": "2001:db8::1" };
const NAMES = Object.entries(HOSTS);
const TIMEOUT_MS = 1000;
const never = new AbortController().signal;
const directory = mkdtempSync(join(tmpdir(), "mailvet-without-route-"));

const checkDestination = async (text: string) => {
  const url = new URL(text);
  return { url, host: url.hostname, addresses: [HOSTS[url.hostname as keyof typeof HOSTS]] };
};
const post = createPost({ checkDestination, timeoutMs: TIMEOUT_MS });
const download = createLinkDownload({
  checkDestination,
  maxBytes: 1000,
  userAgent: "test",
  timeoutMs: TIMEOUT_MS,
});
const guard = { permits: () => true };
const PROMPT = { system: "", user: "{}", answerSchema: {} };
const KEYS = { bucket: "files", region: "r", accessKeyId: "a", secretAccessKey: "b", isPathStyle: true };

/** What each says about a server at this name, address and port. */
const CLIENTS: Record<string, (name: string, address: string, port: number) => Promise<unknown>> = {
  webhook: (name, _, port) => send(`https://${name}:${port}/`, "endpoint"),
  "webhook of a job, http": (name, _, port) => send(`http://${name}:${port}/`, "job"),
  link: (name, _, port) => download({ url: `https://${name}:${port}/`, isTest: false }, never),
  SMTP: (_, address, port) => dial(address, port, {}),
  "SMTP, foreign source address": (_, address, port) =>
    dial(address, port, { sourceAddress: address.includes(":") ? "fd00::9" : "198.51.100.9" }),
  SOCKS: (name, address, port) => dial(address, 25, { proxy: { host: name, port } }),
  DNS: async (_, address, port) => {
    const server = address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
    const resolver = createResolver({ servers: [server], timeoutMs: TIMEOUT_MS });
    return resolver.query("a.example", "A").finally(resolver.close);
  },
  S3: (name, _, port) =>
    createS3Store({ ...KEYS, endpoint: `https://${name}:${port}`, timeoutMs: TIMEOUT_MS }).get("lists/x"),
  "mail server": async (name, _, port) => {
    const mailer = createMailer({ url: `smtp://${name}:${port}`, sender: "a@ipv4.example" }, () => {});
    const sent = mailer.send({ to: "b@ipv4.example", subject: "", text: "" });
    return sent.finally(() => mailer.close());
  },
  "collector of traces": async (name, _, port) => {
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://${name}:${port}`;
    process.env.OTEL_EXPORTER_OTLP_TIMEOUT = String(TIMEOUT_MS);
    const events: string[] = [];
    const tracing = openTracing({ version: "1", log: (event) => events.push(event) });
    tracing.start("x", "server", {}).end();
    await tracing.close();
    return events;
  },
  "disposable lists": (name, _, port) =>
    refreshLists({ directory, sources: [{ url: `https://${name}:${port}/` }], timeoutMs: TIMEOUT_MS }),
  "language model": (name, _, port) =>
    createLanguageModel({ baseUrl: `http://${name}:${port}`, model: "m", apiKey: undefined }).complete(
      PROMPT,
      AbortSignal.timeout(TIMEOUT_MS),
    ),
  SDK: (name, _, port) =>
    createClient({
      baseUrl: `http://${name}:${port}`,
      apiKey: "k",
      retries: 0,
      timeoutMs: TIMEOUT_MS,
    }).validate("a@ipv4.example"),
};

async function dial(address: string, port: number, egress: Pick<Egress, "sourceAddress" | "proxy">) {
  const result = await createConnect({ guard, port, egress })(address, TIMEOUT_MS);
  if (result.kind !== "connected") return result;
  destroySocket(result.socket); // before the route disappeared
  return result.kind;
}

async function send(url: string, kind: "endpoint" | "job") {
  return post({ url, use: { isTest: false, kind }, headers: {}, body: "{}" }, never);
}

const ip = (line: string) => execFileSync("ip", line.split(" "));
const routes = (kind: string) => {
  ip(`-4 route replace ${kind} default`);
  ip(`-6 route replace ${kind} default`);
};

/** As in a container of Docker: interfaces have no IPv6 address, not even ::1. */
const disableIpv6 = (isDisabled: boolean) =>
  writeFileSync("/proc/sys/net/ipv6/conf/all/disable_ipv6", isDisabled ? "1" : "0");

/** The addresses become some of this host. */
const changeRoutes = (change: "add" | "del") => {
  ip(`-4 route ${change} local 192.0.2.0/24 dev lo`);
  ip(`-6 route ${change} local 2001:db8::/32 dev lo`);
};

/** What each does before the clients run. The order matters: an interface that is up stays up. */
const SITUATIONS: Record<string, () => void> = {
  "no interface": () => {},
  "no route": () => ip("link set lo up"),
  "no IPv6": () => disableIpv6(true),
  "prohibited route": () => {
    disableIpv6(false);
    routes("prohibit");
  },
  "unreachable route": () => routes("unreachable"),
  "a route, and nothing listens": () => changeRoutes("add"),
};

const reports: ClientReport[] = [];

/** All clients at once. */
async function runAll(situation: string, port: number, hosts = NAMES) {
  const runs = hosts.flatMap(([name, address]) =>
    Object.entries(CLIENTS).map(async ([client, run]) => {
      const answer = await run(name, address, port).then(textOf, (error) => `${error}`);
      reports.push({ situation, client: `${client} (${name})`, answer });
    }),
  );
  await Promise.all(runs);
}

const textOf = (answer: unknown) => JSON.stringify(answer) ?? "nothing";

/** The route is deleted when the first connection, or a datagram, has arrived over it: others are being made. */
async function runWhileRoutesDisappear() {
  let areThere = true;
  const dropRoutes = () => {
    if (areThere) changeRoutes("del");
    areThere = false;
  };
  const server = createServer((socket) => {
    dropRoutes();
    socket.on("error", () => {}).destroy();
  });
  await once(server.listen(0, "::"), "listening");
  const { port } = server.address() as { port: number };
  const datagrams = createSocket("udp6", (query, from) => {
    const truncated = Buffer.from(query);
    truncated.writeUInt16BE(0x8600, 2); // a response, to be asked again over TCP
    datagrams.send(truncated, from.port, from.address, dropRoutes);
  });
  datagrams.on("error", () => {});
  datagrams.bind(port, "::");
  await once(datagrams, "listening");
  for (const host of NAMES) {
    dropRoutes();
    changeRoutes("add");
    areThere = true;
    await runAll("a route that disappears", port, [host]);
  }
  server.close();
  datagrams.close();
}

const hosts = join(directory, "hosts");
writeFileSync(hosts, NAMES.map(([name, address]) => `${address} ${name}\n`).join(""));
execFileSync("mount", ["--bind", hosts, "/etc/hosts"]);
for (const [situation, arrange] of Object.entries(SITUATIONS)) {
  arrange();
  await runAll(situation, 4443);
}
await runWhileRoutesDisappear();
execFileSync("umount", ["/etc/hosts"]);
rmSync(directory, { recursive: true });
console.log(JSON.stringify(reports));
