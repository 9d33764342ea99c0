/** Hostile and broken servers, over real sockets and bounded in time. */
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { binaryGarbage, endlessBanner, endlessLine, hangsUp, hugeLines } from "../src/mail/index.ts";
import { connectTo } from "./mail-setup.ts";
import { watchWaits } from "./waits.ts";

test.each(["politely", "abruptly"] as const)("a server can disconnect %s before the banner", async (mode) => {
  const [client] = await connectTo(hangsUp({ after: "connect", mode }));
  expect(await client.reply()).toBe("closed");
});

test("a server can disconnect after its banner", async () => {
  const [client, server] = await connectTo(hangsUp({ after: "banner" }));
  expect(await client.reply()).toMatch(/^220 /);
  expect(await client.reply()).toBe("closed");
  client.close();
  await expect.poll(() => server.counts.openConnections).toBe(0);
});

test("a server can disconnect after EHLO, MAIL or a number of recipients", async () => {
  const [afterEhlo] = await connectTo(hangsUp({ after: "ehlo" }));
  await afterEhlo.reply();
  expect(await afterEhlo.command("EHLO p.example")).toMatch(/^250/);
  expect(await afterEhlo.reply()).toBe("closed");

  const [afterMail] = await connectTo(hangsUp({ after: "mail", mode: "abruptly" }));
  await afterMail.enter();
  expect(await afterMail.reply()).toBe("closed");

  const [afterTwo] = await connectTo(hangsUp({ after: { recipients: 2 } }));
  await afterTwo.enter();
  expect(await afterTwo.command("RCPT TO:<ann@lab.example>")).toMatch(/^250/);
  expect(await afterTwo.command("RCPT TO:<eve@lab.example>")).toMatch(/^550/);
  expect(await afterTwo.reply()).toBe("closed");
});

test.each([
  ["banner", endlessBanner],
  ["line", endlessLine({ at: "banner" })],
] as const)("an endless %s never becomes a complete reply", async (_, temper) => {
  const [client, server] = await connectTo(temper);
  await expect.poll(() => client.unread().length).toBeGreaterThan(0);
  const early = client.unread().length;
  await expect.poll(() => client.unread().length).toBeGreaterThan(early + 100_000);
  client.close();
  await expect.poll(() => server.counts.openConnections).toBe(0);
});

test("a huge line arrives completely", async () => {
  const [client] = await connectTo(hugeLines({ at: "ehlo", lineBytes: 1_000_000 }));
  await client.reply();
  expect((await client.command("EHLO p.example")).length).toBe(1_000_004);
});

test("binary garbage has every byte value, and the server keeps reading", async () => {
  const [client, server] = await connectTo(binaryGarbage({ at: "ehlo" }));
  await client.reply();
  client.send("EHLO p.example\r\n");
  await expect.poll(() => client.unread().length).toBe(4_096);
  expect(new Set(client.unread()).size).toBe(256);
  client.send("NOOP\r\n");
  await expect.poll(() => server.received).toEqual(["EHLO p.example", "NOOP"]);
});

test("a flooding client is answered at the pace of the server", async () => {
  const waits = watchWaits();
  const [client, server] = await connectTo({ on: { command: () => ({ delayMs: 20 }) } });
  await client.reply();
  client.send("NOOP\r\n".repeat(200_000));
  await expect.poll(() => server.counts.commands.NOOP).toBeGreaterThan(5);
  expect(waits.filter((ms) => ms === 20)).toHaveLength(server.counts.commands.NOOP!); // one delay per command
});

test("a client that never reads its replies is not answered without limit", async () => {
  const [, server] = await connectTo({});
  const deaf = connect({ host: server.address, port: server.port }).pause();
  onTestFinished(() => void deaf.destroy());
  deaf.on("error", () => {});
  const lines = 50_000;
  deaf.write(`VRFY ${"x".repeat(1_000)}\r\n`.repeat(lines));
  await expect.poll(() => server.counts.commands.VRFY).toBeGreaterThan(0);
  let before = 0;
  while (before !== (server.counts.commands.VRFY ?? 0)) {
    before = server.counts.commands.VRFY ?? 0;
    await sleep(150); // timing: until no more comes
  }
  expect(before).toBeLessThan(lines / 2);

  deaf.resume();
  await expect.poll(() => server.counts.commands.VRFY).toBe(lines);
});
