/** Slow replies, limits and idle timeouts of the lab's servers. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  acceptsEveryone,
  answersSlowly,
  badRecipientLimit,
  closesAfterRecipients,
  errorLimit,
  greetsAfter,
  idleTimeout,
  oneDomainPerTransaction,
  pausesMidBanner,
  recipientLimit,
  saysNothing,
  splitsReplies,
  tarpit,
} from "../src/mail/index.ts";
import { connectClient, connectTo, rcpt } from "./mail-setup.ts";
import { watchWaits } from "./waits.ts";

test("a slow server delays each reply, and delays of several temperaments add up", async () => {
  const waits = watchWaits();
  const [client] = await connectTo([
    answersSlowly({ delayMs: 40 }),
    answersSlowly({ delayMs: 60, at: "ehlo" }),
  ]);
  await client.reply();
  expect(waits).toEqual([40]);
  await client.command("EHLO p.example");
  expect(waits).toEqual([40, 100]);
});

test("a tarpit writes its replies byte by byte", async () => {
  const waits = watchWaits();
  const [client] = await connectTo(tarpit({ gapMs: 4 }));
  const banner = await client.reply();
  expect(waits.filter((ms) => ms === 4).length).toBeGreaterThan(banner.length);
});

test("replies split into bytes arrive completely", async () => {
  const [client] = await connectTo(splitsReplies);
  await client.enter();
  expect(await client.command(rcpt("eve"))).toMatch(/^550 5\.1\.1 <eve@lab\.example>/);
});

test("a server that never replies keeps the connection open", async () => {
  const [client, server] = await connectTo(saysNothing({ at: "rcpt" }));
  await client.enter();
  const answer = client.command(rcpt("ann"));
  await expect.poll(() => server.counts.commands.RCPT).toBe(1);
  expect(await Promise.race([answer, sleep(100, "waiting")])).toBe("waiting"); // timing: for what must not come
  expect(server.counts.openConnections).toBe(1);
});

test("a server that greets after an event says nothing before it", async () => {
  let happen = () => {};
  const [client, server] = await connectTo(greetsAfter(new Promise<void>((resolve) => (happen = resolve))));
  client.send("EHLO p.example\r\n");
  await expect.poll(() => server.counts.sentBeforeBanner).toBe(1);
  happen();
  expect(await client.reply()).toBe("220 mx.lab.example ESMTP Postfix");
});

test("a pause within the banner detects clients that do not wait", async () => {
  let endPause = () => {};
  const until = new Promise<void>((resolve) => (endPause = resolve));
  const [client, server] = await connectTo(pausesMidBanner({ until }));
  const hastyClient = await connectClient(server);
  hastyClient.send("EHLO p.example\r\n");
  await expect.poll(() => server.counts.sentBeforeBanner).toBe(1);
  endPause();
  expect(await client.reply()).toBe("220-mx.lab.example ESMTP Postfix\n220 mx.lab.example ESMTP Postfix");
  expect(await client.command("EHLO p.example")).toMatch(/^250/);
  expect(server.counts.sentBeforeBanner).toBe(1);
});

test("a recipient limit applies per transaction", async () => {
  const [client] = await connectTo([recipientLimit(1), acceptsEveryone]);
  await client.enter();
  expect(await client.command(rcpt("ann"))).toMatch(/^250 /);
  expect(await client.command(rcpt("bob"))).toMatch(/^452 4\.5\.3 /);
  await client.command("RSET");
  await client.command("MAIL FROM:<a@b.example>");
  expect(await client.command(rcpt("bob"))).toMatch(/^250 /);
});

test("a server can reject everything after ten recipients of which fewer than half exist", async () => {
  const met: number[] = [];
  const [client] = await connectTo(badRecipientLimit((session) => met.push(session)));
  await client.enter();
  for (let i = 0; i < 10; i++) expect(await client.command(rcpt(`eve${i}`))).toMatch(/^550 5\.1\.1 /);
  expect(await client.command(rcpt("ann"))).toBe("550 Rejected for too many bad recipients");
  expect(met).toEqual([1]);
  await client.command("RSET");
  await client.command("MAIL FROM:<a@b.example>");
  expect(await client.command(rcpt("ann"))).toMatch(/^250 /);
});

test("a server can close with 421 after a number of recipients", async () => {
  const [client] = await connectTo(closesAfterRecipients(2));
  await client.enter();
  await client.command(rcpt("ann"));
  await client.command(rcpt("eve"));
  expect(await client.command(rcpt("bob"))).toMatch(/^421 /);
  expect(await client.reply()).toBe("closed");
});

test("the error limit first delays replies, then closes the session", async () => {
  const [client] = await connectTo(errorLimit({ sleepAfter: 2, sleepMs: 60, leaveAt: 4 }));
  await client.enter();
  const waits = watchWaits();
  await client.command(rcpt("eve1"));
  await client.command(rcpt("eve2"));
  expect(waits).toEqual([]);
  await client.command(rcpt("eve3"));
  expect(waits).toEqual([60]);
  expect(await client.command(rcpt("eve4"))).toMatch(/^550 /);
  expect(await client.reply()).toMatch(/^421 4\.7\.0 .*too many errors/);
  expect(await client.reply()).toBe("closed");
});

test("a server can accept one recipient domain per transaction, like Google", async () => {
  const [client] = await connectTo(oneDomainPerTransaction);
  await client.enter();
  expect(await client.command(rcpt("ann"))).toMatch(/^250 /);
  expect(await client.command(rcpt("ann@second.example"))).toMatch(
    /^451-4\.3\.0 Multiple destination domains/,
  );
  expect(await client.command(rcpt("bob"))).toMatch(/^250 /);
});

test("an idle client is disconnected", async () => {
  const [client] = await connectTo(idleTimeout({ idleMs: 60 }));
  await client.reply();
  expect(await client.reply()).toMatch(/^421 4\.4\.2 /);
  expect(await client.reply()).toBe("closed");
});
