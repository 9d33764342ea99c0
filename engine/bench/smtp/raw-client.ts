/**
 * The limit: a client that knows each mail host's address and each answer beforehand, so that it needs no DNS and can fill
 * every session up to the last refusal before the host slows down, in one pipelined batch: four round trips a session
 * (connect, banner, EHLO, batch). It reports what the hosts reply. No checker can be faster with the same connections.
 *
 *   raw-client.ts LIST CONNECTIONS_PER_HOST      (ADDRESSES and SMTP_PORT in the environment)
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import type { OwnFigures } from "./measure.ts";

const [, , listFile = "", connectionsPerHost = "1"] = process.argv;
const addressOf: Record<string, string> = JSON.parse(readFileSync(process.env.ADDRESSES ?? "", "utf8"));
const port = Number(process.env.SMTP_PORT);

const REFUSALS_PER_SESSION = 9; // Postfix slows down after ten
const RECIPIENTS_PER_TRANSACTION = 90;
const SESSIONS_AT_ONCE = 2000;
const TIMEOUT_MS = 60_000;

type Target = { email: string; domain: string; isRefused: boolean };
type Recipient = { email: string; domain: string; isDecoy: boolean };

const acceptsDecoy = new Map<string, boolean>();
const codes: { email: string; domain: string; code: number }[] = [];

const started = performance.now();
const cpuBefore = process.cpuUsage();
const targets = new Map<string, Target[]>();
const catchAlls = new Set<string>();
for (const line of readFileSync(listFile, "utf8").trimEnd().split("\n")) {
  const [email = "", host = "", answer = ""] = line.split("\t");
  const domain = email.slice(email.indexOf("@") + 1);
  if (answer === "uncertain") catchAlls.add(domain);
  const atHost = targets.get(host) ?? [];
  targets.set(host, atHost);
  atHost.push({ email, domain, isRefused: answer === "undeliverable" });
}
const queues = [...targets].map(([host, atHost]) => ({ host, sessions: sessionsFor(atHost) }));
// Each entry is one connection at a time to its host, so that no host sees more than its limit.
const walks = queues.flatMap((queue) => Array.from({ length: Number(connectionsPerHost) }, () => queue));
const walkers = Array.from({ length: Math.min(SESSIONS_AT_ONCE, walks.length) }, async () => {
  for (let queue = walks.shift(); queue; queue = walks.shift()) {
    for (let next = queue.sessions.shift(); next; next = queue.sessions.shift()) {
      if (await runSession(addressOf[queue.host] ?? "", next)) continue;
      queue.sessions.push(next);
      break; // the host refuses this connection: it goes on with the others
    }
  }
});
await Promise.all(walkers);
const { user, system } = process.cpuUsage(cpuBefore);
const figures: OwnFigures = {
  seconds: (performance.now() - started) / 1000,
  cpuSeconds: (user + system) / 1e6,
};
const words = codes.map((one) => `${one.email}\t${wordFor(one)}\n`);
process.stdout.write(`${words.join("")}# ${JSON.stringify(figures)}\n`);

/** One decoy per domain, and as many recipients as fit before the host would slow down. */
function sessionsFor(atHost: readonly Target[]): Recipient[][] {
  const planned: Recipient[][] = [];
  let current: Recipient[] = [];
  let refusals = 0;
  const seen = new Set<string>();
  for (const { email, domain, isRefused } of atHost) {
    const isNew = !seen.has(domain);
    seen.add(domain);
    const cost = Number(isRefused) + Number(isNew && !catchAlls.has(domain));
    if (refusals + cost > REFUSALS_PER_SESSION) {
      planned.push(current);
      current = [];
      refusals = 0;
    }
    refusals += cost;
    current.push({ email, domain, isDecoy: false });
    if (isNew) current.push({ email: `decoy-${domain.length}x7q@${domain}`, domain, isDecoy: true });
  }
  return [...planned, current];
}

/** False if the host refused the connection. */
async function runSession(host: string, recipients: readonly Recipient[]): Promise<boolean> {
  const socket = connect({ host, port, noDelay: true });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
  socket.on("error", () => {}); // "close" follows; recipients without a reply stay without a verdict
  const pending: (Recipient | undefined)[] = []; // one per expected reply
  let stage: "banner" | "ehlo" | "batch" = "banner";
  let isRefused = false;
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on("line", (line) => {
    if (line[3] === "-") return;
    const code = Number(line.slice(0, 3));
    if (stage === "banner") {
      stage = "ehlo";
      isRefused = code !== 220;
      if (isRefused) socket.destroy();
      else socket.write("EHLO prober.test\r\n");
    } else if (stage === "ehlo") {
      stage = "batch";
      socket.write(batchFor(recipients, pending));
    } else {
      const recipient = pending.shift();
      if (recipient?.isDecoy) acceptsDecoy.set(recipient.domain, code === 250);
      else if (recipient) codes.push({ ...recipient, code });
    }
  });
  await once(socket, "close");
  return !isRefused;
}

/** All transactions and QUIT in one write. */
function batchFor(recipients: readonly Recipient[], pending: (Recipient | undefined)[]): string {
  let batch = "";
  for (const [i, recipient] of recipients.entries()) {
    if (i % RECIPIENTS_PER_TRANSACTION === 0) {
      if (i > 0) pending.push(undefined);
      pending.push(undefined);
      batch += `${i > 0 ? "RSET\r\n" : ""}MAIL FROM:<probe@prober.test>\r\n`;
    }
    pending.push(recipient);
    batch += `RCPT TO:<${recipient.email}>\r\n`;
  }
  return `${batch}QUIT\r\n`;
}

function wordFor({ domain, code }: { domain: string; code: number }): string {
  if (code === 550) return "invalid";
  if (code !== 250) return "unknown";
  return acceptsDecoy.get(domain) ? "risky" : "valid";
}
