/** How long and how much the lab's servers bear: slow replies, limits, silence. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  acceptsEveryone,
  answersSlowly,
  errorLimit,
  impatient,
  leavesAfterRecipients,
  oneDomainPerTransaction,
  pausesMidBanner,
  recipientLimit,
  saysNothing,
  splitsReplies,
  tarpit,
} from "../src/mail/index.ts";
import { call, meet, rcpt } from "./mail-meeting.ts";
import { watchWaits } from "./waits.ts";

test("a slow server thinks before each reply, and delays of several add up", async () => {
  const waits = watchWaits();
  const [client] = await meet([answersSlowly({ delayMs: 40 }), answersSlowly({ delayMs: 60, at: "ehlo" })]);
  await client.reply();
  expect(waits).toEqual([40]);
  await client.ask("EHLO p.example");
  expect(waits).toEqual([40, 100]);
});

test("a tarpit stutters its replies out byte by byte", async () => {
  const waits = watchWaits();
  const [client] = await meet(tarpit({ gapMs: 4 }));
  const banner = await client.reply();
  expect(waits.filter((ms) => ms === 4).length).toBeGreaterThan(banner.length);
});

test("replies split into bytes are whole in the end", async () => {
  const [client] = await meet(splitsReplies);
  await client.enter();
  expect(await client.ask(rcpt("eve"))).toMatch(/^550 5\.1\.1 <eve@lab\.example>/);
});

test("a server that says nothing leaves the client waiting and the line open", async () => {
  const [client, server] = await meet(saysNothing({ at: "rcpt" }));
  await client.enter();
  const answer = client.ask(rcpt("ann"));
  await expect.poll(() => server.counts.commands.RCPT).toBe(1);
  expect(await Promise.race([answer, sleep(100, "waiting")])).toBe("waiting"); // timing: for what must not come
  expect(server.counts.openConnections).toBe(1);
});

test("a banner with a pause in it shows who cannot wait", async () => {
  const [patient, server] = await meet(pausesMidBanner({ pauseMs: 1000 }));
  expect(await patient.reply()).toBe("220-mx.lab.example ESMTP Postfix\n220 mx.lab.example ESMTP Postfix");
  expect(server.counts.talkedBeforeBanner).toBe(0);
  const hasty = await call(server);
  hasty.send("EHLO p.example\r\n");
  await hasty.reply();
  expect(server.counts.talkedBeforeBanner).toBe(1);
});

test("a recipient limit holds per transaction", async () => {
  const [client] = await meet([recipientLimit(1), acceptsEveryone]);
  await client.enter();
  expect(await client.ask(rcpt("ann"))).toMatch(/^250 /);
  expect(await client.ask(rcpt("bob"))).toMatch(/^452 4\.5\.3 /);
  await client.ask("RSET");
  await client.ask("MAIL FROM:<a@b.example>");
  expect(await client.ask(rcpt("bob"))).toMatch(/^250 /);
});

test("a server may leave with 421 after so many recipients", async () => {
  const [client] = await meet(leavesAfterRecipients(2));
  await client.enter();
  await client.ask(rcpt("ann"));
  await client.ask(rcpt("eve"));
  expect(await client.ask(rcpt("bob"))).toMatch(/^421 /);
  expect(await client.reply()).toBe("closed");
});

test("the error limit first slows every reply down, then ends the visit", async () => {
  const [client] = await meet(errorLimit({ sleepAfter: 2, sleepMs: 60, leaveAt: 4 }));
  await client.enter();
  const waits = watchWaits();
  await client.ask(rcpt("eve1"));
  await client.ask(rcpt("eve2"));
  expect(waits).toEqual([]);
  await client.ask(rcpt("eve3"));
  expect(waits).toEqual([60]);
  expect(await client.ask(rcpt("eve4"))).toMatch(/^550 /);
  expect(await client.reply()).toMatch(/^421 4\.7\.0 .*too many errors/);
  expect(await client.reply()).toBe("closed");
});

test("one recipient domain per transaction, as at Google", async () => {
  const [client] = await meet(oneDomainPerTransaction);
  await client.enter();
  expect(await client.ask(rcpt("ann"))).toMatch(/^250 /);
  expect(await client.ask(rcpt("ann@second.example"))).toMatch(/^451-4\.3\.0 Multiple destination domains/);
  expect(await client.ask(rcpt("bob"))).toMatch(/^250 /);
});

test("an impatient server sends a silent client away", async () => {
  const [client] = await meet(impatient({ idleMs: 60 }));
  await client.reply();
  expect(await client.reply()).toMatch(/^421 4\.4\.2 /);
  expect(await client.reply()).toBe("closed");
});
