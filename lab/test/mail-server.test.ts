/** Features of every mail server of the lab: counts, latency, connection cap, ports. */
import { expect, test } from "vitest";
import { commonPort, greetsAfter, polite, startMailServer, startMailServers } from "../src/mail/index.ts";
import { openMailClient } from "./mail-client.ts";
import { watchWaits } from "./waits.ts";

const ONE = { domains: ["lab.example"], users: ["ann"], temper: polite };

test("a server counts connections, commands by verb, and sessions without QUIT", async () => {
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, ...ONE });
  const first = await openMailClient(server);
  const second = await openMailClient(server);
  await first.enter();
  await first.command("RCPT TO:<ann@lab.example>");
  await first.command("rcpt to:<eve@lab.example>");
  await first.command("QUIT");
  await second.reply();
  await second.command("what?");
  second.close();
  first.close();

  await expect.poll(() => server.counts.openConnections).toBe(0);
  expect(server.counts).toEqual({
    connections: 2,
    openConnections: 0,
    maxConcurrentConnections: 2,
    refusedConnections: 0,
    endedWithoutQuit: 1,
    sentBeforeBanner: 0,
    earlyCommands: 0,
    commands: { EHLO: 1, MAIL: 1, RCPT: 2, QUIT: 1, UNKNOWN: 1 },
    clients: { "127.0.0.1": { connections: 2, maxConcurrentConnections: 2 } },
  });
  expect(server.received).toContain("rcpt to:<eve@lab.example>");
});

test("a QUIT sent while disconnecting is recorded", async () => {
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, latencyMs: 30, ...ONE });
  const client = await openMailClient(server);
  await client.reply();
  client.send("QUIT\r\n");
  setTimeout(() => client.close(), 5);
  await expect.poll(() => server.counts.openConnections).toBe(0);
  expect(server.received).toEqual(["QUIT"]);
  expect(server.counts.endedWithoutQuit).toBe(0);
});

test("input before the banner is counted", async () => {
  let greet = () => {};
  const temper = greetsAfter(new Promise<void>((resolve) => (greet = resolve)));
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, ...ONE, temper });
  await using client = await openMailClient(server);
  client.send("EHLO hasty.example\r\n");
  await expect.poll(() => server.counts.sentBeforeBanner).toBe(1);
  greet();
  await client.reply();
  expect(await client.reply()).toMatch(/^250/);
  expect(server.counts).toMatchObject({ sentBeforeBanner: 1, earlyCommands: 1 });
});

test("a round trip takes the latency, and pipelined commands share one", async () => {
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, latencyMs: 50, ...ONE });
  const waits = watchWaits();
  await using client = await openMailClient(server);
  await client.reply();
  expect(waits).toEqual([100]); // connecting takes a round trip, too
  // The time spent before the timer is set is subtracted; one that fires slightly early is set again for the rest.
  const roundTrips = () => waits.slice(1).filter((ms) => ms > 5 && ms <= 50).length;
  await client.command("EHLO p.example");
  expect(roundTrips()).toBe(1);
  client.send(`MAIL FROM:<a@b.example>\r\n${"RCPT TO:<ann@lab.example>\r\n".repeat(20)}`);
  for (let replies = 0; replies < 21; replies += 1) expect(await client.reply()).toMatch(/^250/);
  expect(roundTrips()).toBe(2);
});

test("connections over the cap get 421 and are counted", async () => {
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, connectionCap: 1, ...ONE });
  await using first = await openMailClient(server);
  expect(await first.reply()).toMatch(/^220 /);
  await using second = await openMailClient(server);
  expect(await second.reply()).toMatch(/^421 4\.7\.0 .*too many connections/);
  expect(await second.reply()).toBe("closed");
  expect(server.counts.refusedConnections).toBe(1);
});

test("received lines are kept up to a limit, the latest last", async () => {
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, ...ONE });
  await using client = await openMailClient(server);
  await client.reply();
  for (let batch = 0; batch < 5; batch += 1) {
    client.send(Array.from({ length: 500 }, (_, index) => `NOOP ${batch * 500 + index}\r\n`).join(""));
    for (let replies = 0; replies < 500; replies += 1) await client.reply();
  }
  expect(server.received).toHaveLength(2_000);
  expect(server.received[0]).toBe("NOOP 500");
  expect(server.received.at(-1)).toBe("NOOP 2499");
});

test("users can be a function", async () => {
  await using server = await startMailServer({
    address: "127.0.0.12",
    port: 0,
    domains: ["lab.example"],
    users: ({ localPart }) => localPart.startsWith("user"),
  });
  expect(server.truth("user77@lab.example")).toBe("exists");
  expect(server.truth("eve@lab.example")).toBe("does_not_exist");
});

test("forty servers share a port, each on its own address", async () => {
  const hosts = Array.from({ length: 40 }, (_, index) => ({ address: `127.0.3.${index + 1}`, ...ONE }));
  const servers = await startMailServers(hosts);
  expect(new Set(servers.map((server) => server.port)).size).toBe(1);
  await using client = await openMailClient(servers[39]!);
  expect(await client.reply()).toMatch(/^220 /);
  await Promise.all(servers.map((server) => server.close()));
});

test("a port in use on one address is not a common port, and starting there fails completely", async () => {
  await using lone = await startMailServer({ address: "127.0.3.2", port: 0, ...ONE });
  const hosts = ["127.0.3.1", "127.0.3.2"].map((address) => ({ address, ...ONE }));
  await expect(startMailServers(hosts, lone.port)).rejects.toThrow("EADDRINUSE");
  await using freed = await startMailServer({ address: "127.0.3.1", port: lone.port, ...ONE });
  expect(freed.port).toBe(lone.port);
  expect(await commonPort(["127.0.3.1", "127.0.3.2"])).not.toBe(lone.port);
});

test("closing a server ends its sessions", async () => {
  const server = await startMailServer({ address: "127.0.0.12", port: 0, ...ONE });
  await using client = await openMailClient(server);
  await client.reply();
  await server.close();
  expect(await client.reply()).toBe("closed");
  await expect(openMailClient(server)).rejects.toThrow("ECONNREFUSED");
});

test("thousands of short sessions are served", async () => {
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, ...ONE });
  const runSessions = async () => {
    for (let session = 0; session < 40; session += 1) {
      const client = await openMailClient(server);
      await client.enter();
      await client.command("RCPT TO:<eve@lab.example>");
      await client.command("QUIT");
      client.close();
    }
  };
  await Promise.all(Array.from({ length: 50 }, runSessions));
  expect(server.counts.commands).toEqual({ EHLO: 2_000, MAIL: 2_000, RCPT: 2_000, QUIT: 2_000 });
  expect(server.counts.maxConcurrentConnections).toBeLessThanOrEqual(100);
});
