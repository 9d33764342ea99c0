/** Allowed destinations of webhooks: customers choose the URL and control its DNS records. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { servfail } from "@mailvet/lab";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { HOOKS_CERTIFICATE } from "./webhooks-certificate.ts";
import { openReceiver, type Receiver, verified } from "./webhooks-receiver.ts";
import { live, openWebhookWorld, type WebhookWorld } from "./webhooks-world.ts";

/** A real address, because TEST-NET addresses are rejected too. Nothing is sent to it here. */
const PUBLIC = "93.184.216.34";
const NAMES = {
  "public.example": { A: [PUBLIC] },
  "private.example": { A: ["10.1.2.3"] },
  "loopback.example": { A: ["127.0.0.1"], AAAA: ["::1"] },
  "both.example": { A: ["10.1.2.3", "127.0.0.1"] },
  "half-public.example": { A: ["127.0.0.1", PUBLIC] },
  "alias.example": { CNAME: "loopback.example" },
  "mail-only.example": { MX: [{ preference: 0, exchange: "public.example" }] },
};

let world: WebhookWorld;
let receiver: Receiver;
beforeAll(async () => {
  world = await openWebhookWorld();
});
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(async () => {
  await receiver.close();
  await world.clear();
});
afterAll(() => world.close());

const HTTPS = "The URL must begin with https://.";

test("only public hosts are accepted, and no connection is opened to others", async () => {
  const { port } = receiver;
  const service = await world.open({ names: NAMES, egressAllow: [], outgoingPorts: [443, 8443, port] });
  const ann = await world.account();
  const refused = {
    [`http://127.0.0.1:${port}/`]: HTTPS,
    [`https://127.0.0.1:${port}/`]: "Connections to the address 127.0.0.1 are not allowed (loopback).",
    [`https://127.1:${port}/`]: "Connections to the address 127.0.0.1 are not allowed (loopback).",
    [`https://0x7f000001:${port}/`]: "Connections to the address 127.0.0.1 are not allowed (loopback).",
    [`https://[::1]:${port}/`]: "Connections to the address ::1 are not allowed (loopback).",
    [`https://[::ffff:127.0.0.1]:${port}/`]:
      "Connections to the address ::ffff:7f00:1 are not allowed (loopback).",
    "https://169.254.169.254/latest":
      "Connections to the address 169.254.169.254 are not allowed (link-local).",
    [`https://localhost:${port}/`]: "localhost has no public IP address.",
    [`https://a.localhost.:${port}/`]: "a.localhost has no public IP address.",
    "https://private.example/": "private.example has no public IP address.",
    [`https://alias.example:${port}/`]: "alias.example has no public IP address.",
    "https://nowhere.example/": "nowhere.example has no public IP address.",
    "https://mail-only.example/": "mail-only.example has no public IP address.",
    "http://public.example/": HTTPS,
    "ftp://public.example/": HTTPS,
    "https://public.example:25/": `Port 25 is not allowed, only 443, 8443, ${port}.`,
    "https://nowhere.example:22/": `Port 22 is not allowed, only 443, 8443, ${port}.`,
    "https://ann:secret@public.example/": "The URL must not contain a user name or a password.",
    "https://public.example/#part": "The URL must not contain a fragment (#).",
    "https://": "Not a valid URL.",
  };
  const found: Record<string, string> = {};
  for (const url of Object.keys(refused)) {
    await service.webhooks.create(live(ann), { url }).catch(({ code, message }) => {
      expect(code).toBe("webhook_url_rejected");
      found[url] = message;
    });
  }
  expect(found).toEqual(refused);
  expect(await service.webhooks.list(live(ann))).toEqual([]);

  const { id, url } = await service.webhooks.create(live(ann), {
    url: "https://public.example:8443/hook?a=b",
  });
  expect(url).toBe("https://public.example:8443/hook?a=b");
  await expect(
    service.webhooks.update(live(ann), id, { url: "https://private.example/" }),
  ).rejects.toMatchObject({
    code: "webhook_url_rejected",
  });
  expect(receiver.connections()).toBe(0);
});

test("a name with a private address is rejected like one without an address", async () => {
  const service = await world.open({ names: NAMES, egressAllow: [] });
  const ann = await world.account();
  const rejectionOf = async (host: string) => {
    const { message } = await service.webhooks
      .create(live(ann), { url: `https://${host}/` })
      .catch((error) => error);
    return message.replace(host, "HOST");
  };
  const names = [
    "nowhere.example",
    "mail-only.example",
    "private.example",
    "loopback.example",
    "alias.example",
  ];
  const rejections = await Promise.all(names.map(rejectionOf));
  expect(new Set(rejections)).toEqual(new Set(["HOST has no public IP address."]));
});

test("a failed name resolution is reported as such", async () => {
  const service = await world.open({
    names: { "broken.example": { answers: servfail } },
  });
  const ann = await world.account();
  await expect(service.webhooks.create(live(ann), { url: "https://broken.example/" })).rejects.toMatchObject({
    message: expect.stringMatching(/^broken\.example could not be resolved/),
  });
});

test("a name that resolves to a private address at the time of sending is rejected", async () => {
  const outgoingPorts = [receiver.port];
  const before = await world.open({ names: NAMES, egressAllow: [], outgoingPorts });
  const ann = await world.account();
  const url = `https://public.example:${receiver.port}/`;
  const { id } = await before.webhooks.create(live(ann), { url });
  await world.publish(before, ann, "job.completed");

  const after = await world.open({
    names: { "public.example": { A: ["127.0.0.1"] } },
    egressAllow: [],
    outgoingPorts,
  });
  await after.runDue();
  const { deliveries } = await after.webhooks.deliveries(live(ann), id, { skip: 0, limit: 1 });
  expect(deliveries[0]).toMatchObject({
    state: "pending",
    attempts: 1,
    trouble: "public.example has no public IP address.",
  });
  expect(receiver.connections()).toBe(0);
});

test("refused, unreachable and silent receivers are reported alike, so that nothing can be scanned", async () => {
  const silent = createServer().listen(0, "127.0.0.1"); // accepts connections and says nothing
  await once(silent, "listening");
  const service = await world.open({ settings: { timeoutMs: 300 } });
  const ann = await world.account();
  const urls = [
    `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`,
    "http://127.0.0.1:1/", // refused
    "http://127.255.255.255:1/", // a broadcast address: fails at once
  ];
  for (const url of urls) await service.webhooks.create(live(ann), { url });
  await world.publish(service, ann, "job.completed");
  expect(await service.runDue()).toBe(urls.length);
  const { rows } = await world.database.pool.query("select distinct trouble from webhook_deliveries");
  expect(rows).toEqual([{ trouble: "No connection, or no response within 0.3 s." }]);
  silent.close();
});

test("public addresses have the ports that the operator allows, ranges opened by the operator every port", async () => {
  const service = await world.open({ names: NAMES });
  const ann = await world.account();
  const accepts = (url: string) =>
    service.webhooks.create(live(ann), { url }).then(
      () => true,
      ({ message }) => message,
    );
  expect(await accepts("https://public.example/")).toBe(true);
  expect(await accepts("https://loopback.example:9999/")).toBe(true);
  for (const host of ["public.example", "half-public.example", PUBLIC])
    expect(await accepts(`https://${host}:8443/`)).toBe("Port 8443 is not allowed, only 443.");
});

test("ranges opened by the operator accept plain HTTP, public addresses do not", async () => {
  const service = await world.open({ names: NAMES });
  const ann = await world.account();
  const { port } = receiver;
  const hosts = ["127.0.0.1", "localhost", "loopback.example", "both.example"];
  for (const host of hosts)
    await service.webhooks.create(live(ann), { url: `http://${host}:${port}/${host}` });
  for (const url of [`http://half-public.example:${port}/`, "http://public.example/"]) {
    await expect(service.webhooks.create(live(ann), { url })).rejects.toMatchObject({ message: HTTPS });
  }
  await world.publish(service, ann, "job.completed");
  await service.runDue();
  expect(receiver.received.map(({ path }) => path).sort()).toEqual(hosts.map((host) => `/${host}`).sort());
  expect(receiver.received.find(({ path }) => path === "/both.example")!.headers.host).toBe(
    `both.example:${port}`,
  );
});

test("the receiver's certificate must be valid for its name", async () => {
  await using encrypted = await openReceiver({ isEncrypted: true });
  const names = { "hooks.example": { A: ["127.0.0.1"] }, "other.example": { A: ["127.0.0.1"] } };
  const trusting = await world.open({ names, settings: { ca: HOOKS_CERTIFICATE } });
  const wary = await world.open({ names });
  const ann = await world.account();
  const { id, secret } = await wary.webhooks.create(live(ann), {
    url: `https://hooks.example:${encrypted.port}/`,
  });
  const other = await wary.webhooks.create(live(ann), { url: `https://other.example:${encrypted.port}/` });
  const troubleOf = async (endpointId: string) =>
    (await wary.webhooks.deliveries(live(ann), endpointId, { skip: 0, limit: 1 })).deliveries[0]!.trouble;

  await world.publish(wary, ann, "job.completed");
  await wary.runDue();
  expect(await troubleOf(id)).toMatch(/^The TLS certificate is expired, not valid/);
  expect(encrypted.received).toEqual([]);

  await world.hurry(id);
  await world.hurry(other.id);
  await trusting.runDue();
  expect(await troubleOf(id)).toBeNull();
  expect(await troubleOf(other.id)).toMatch(/^The TLS certificate is expired, not valid/);
  expect(encrypted.received).toHaveLength(1);
  expect(verified(secret, encrypted.received[0]!).type).toBe("job.completed");
});

test("nothing is sent to an https URL whose server does not speak TLS", async () => {
  const received: Buffer[] = [];
  const server = createServer((socket) =>
    socket.on("data", (data) => received.push(data)).end("HTTP/1.1 200 OK\r\n\r\n"),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const service = await world.open({ names: NAMES });
  const ann = await world.account();
  const { port } = server.address() as AddressInfo;
  const { id } = await service.webhooks.create(live(ann), { url: `https://loopback.example:${port}/` });
  await world.publish(service, ann, "job.completed");
  await service.runDue();
  const { deliveries } = await service.webhooks.deliveries(live(ann), id, { skip: 0, limit: 1 });
  expect(deliveries[0]).toMatchObject({
    state: "pending",
    trouble: "The TLS handshake failed.",
  });
  expect(Buffer.concat(received).toString()).not.toContain("POST");
  server.close();
});

test("a webhook_url that a job of test mode has from an earlier release gets nothing", async () => {
  const service = await world.open();
  const owner = { accountId: await world.account(), isTest: true };
  const jobId = randomUUID();
  const { orm, pool } = world.database;
  await orm.transaction(async (tx) => {
    await service.webhooks.createForJob(tx, owner, receiver.url, jobId);
    await service.webhooks.publish(tx, owner, "job.completed", {}, jobId);
  });
  expect(await service.runDue()).toBe(1);
  const { rows } = await pool.query("select trouble from webhook_deliveries");
  expect(rows).toEqual([{ trouble: expect.stringMatching(/^Test mode makes no connections/) }]);
  expect(receiver.connections()).toBe(0);
});
