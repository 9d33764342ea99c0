/** What every mail server of the lab does whatever its temperament: counting, latency, caps, ports. */
import { expect, test } from "vitest";
import { commonPort, polite, startMailServer, startMailServers } from "../src/mail/index.ts";
import { callMail } from "./mail-client.ts";
import { watchWaits } from "./waits.ts";

const ONE = { domains: ["lab.example"], users: ["ann"], temper: polite };

test("a server counts connections, commands by verb, and who left without QUIT", async () => {
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, ...ONE });
  const first = await callMail(server);
  const second = await callMail(server);
  await first.enter();
  await first.ask("RCPT TO:<ann@lab.example>");
  await first.ask("rcpt to:<eve@lab.example>");
  await first.ask("QUIT");
  await second.reply();
  await second.ask("what?");
  second.close();
  first.close();

  await expect.poll(() => server.counts.openConnections).toBe(0);
  expect(server.counts).toEqual({
    connections: 2,
    openConnections: 0,
    maxConcurrentConnections: 2,
    refusedConnections: 0,
    endedWithoutQuit: 1,
    talkedBeforeBanner: 0,
    earlyCommands: 0,
    commands: { EHLO: 1, MAIL: 1, RCPT: 2, QUIT: 1, UNKNOWN: 1 },
  });
  expect(server.heard).toContain("rcpt to:<eve@lab.example>");
});

test("a QUIT sent while hanging up is still heard", async () => {
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, latencyMs: 30, ...ONE });
  const client = await callMail(server);
  await client.reply();
  client.send("QUIT\r\n");
  setTimeout(() => client.close(), 5);
  await expect.poll(() => server.counts.openConnections).toBe(0);
  expect(server.heard).toEqual(["QUIT"]);
  expect(server.counts.endedWithoutQuit).toBe(0);
});

test("talking before the banner is noticed", async () => {
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, latencyMs: 500, ...ONE });
  await using client = await callMail(server);
  client.send("EHLO hasty.example\r\n");
  await client.reply();
  expect(await client.reply()).toMatch(/^250/);
  expect(server.counts).toMatchObject({ talkedBeforeBanner: 1, earlyCommands: 1 });
});

test("a round trip takes the latency, and pipelined commands share one", async () => {
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, latencyMs: 50, ...ONE });
  const waits = watchWaits();
  await using client = await callMail(server);
  await client.reply();
  expect(waits).toEqual([100]); // connecting is a round trip too
  await client.ask("EHLO p.example");
  expect(waits).toEqual([100, 50]);
  client.send(`MAIL FROM:<a@b.example>\r\n${"RCPT TO:<ann@lab.example>\r\n".repeat(20)}`);
  for (let replies = 0; replies < 21; replies += 1) expect(await client.reply()).toMatch(/^250/);
  // A timer may ring a little early and is then set again for what is left.
  expect(waits.slice(2).filter((ms) => ms > 25)).toEqual([50]);
});

test("connections over the cap are told 421 and counted", async () => {
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, connectionCap: 1, ...ONE });
  await using first = await callMail(server);
  expect(await first.reply()).toMatch(/^220 /);
  await using second = await callMail(server);
  expect(await second.reply()).toMatch(/^421 4\.7\.0 .*too many connections/);
  expect(await second.reply()).toBe("closed");
  expect(server.counts.refusedConnections).toBe(1);
});

test("what is heard is kept up to a bound, the latest lines last", async () => {
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, ...ONE });
  await using client = await callMail(server);
  await client.reply();
  for (let batch = 0; batch < 5; batch += 1) {
    client.send(Array.from({ length: 500 }, (_, index) => `NOOP ${batch * 500 + index}\r\n`).join(""));
    for (let replies = 0; replies < 500; replies += 1) await client.reply();
  }
  expect(server.heard).toHaveLength(2_000);
  expect(server.heard[0]).toBe("NOOP 500");
  expect(server.heard.at(-1)).toBe("NOOP 2499");
});

test("users can be told by a function", async () => {
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
  await using client = await callMail(servers[39]!);
  expect(await client.reply()).toMatch(/^220 /);
  await Promise.all(servers.map((server) => server.close()));
});

test("a port in use on one address is no common port, and starting there fails as a whole", async () => {
  await using lone = await startMailServer({ address: "127.0.3.2", port: 0, ...ONE });
  const hosts = ["127.0.3.1", "127.0.3.2"].map((address) => ({ address, ...ONE }));
  await expect(startMailServers(hosts, lone.port)).rejects.toThrow("EADDRINUSE");
  await using freed = await startMailServer({ address: "127.0.3.1", port: lone.port, ...ONE });
  expect(freed.port).toBe(lone.port);
  expect(await commonPort(["127.0.3.1", "127.0.3.2"])).not.toBe(lone.port);
});

test("closing a server ends the visits it has", async () => {
  const server = await startMailServer({ address: "127.0.0.12", port: 0, ...ONE });
  await using client = await callMail(server);
  await client.reply();
  await server.close();
  expect(await client.reply()).toBe("closed");
  await expect(callMail(server)).rejects.toThrow("ECONNREFUSED");
});

test("thousands of short visits are no burden", async () => {
  await using server = await startMailServer({ address: "127.0.0.12", port: 0, ...ONE });
  const visits = async () => {
    for (let visit = 0; visit < 40; visit += 1) {
      const client = await callMail(server);
      await client.enter();
      await client.ask("RCPT TO:<eve@lab.example>");
      await client.ask("QUIT");
      client.close();
    }
  };
  await Promise.all(Array.from({ length: 50 }, visits));
  expect(server.counts.commands).toEqual({ EHLO: 2_000, MAIL: 2_000, RCPT: 2_000, QUIT: 2_000 });
  expect(server.counts.maxConcurrentConnections).toBeLessThanOrEqual(100);
});
