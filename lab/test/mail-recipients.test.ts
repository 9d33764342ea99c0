/** What the lab's servers say of mailboxes and of us: known, full, closed, greylisted, blocked. */
import { expect, onTestFinished, test, vi } from "vitest";
import {
  acceptsEveryone,
  answersWith,
  blocksUs,
  disabled,
  failsForNow,
  forDomain,
  greylists,
  neverRefusesAtRcpt,
  overQuota,
} from "../src/mail/index.ts";
import { meet, rcpt } from "./mail-meeting.ts";

test("a server that accepts everyone is a catch-all in truth", async () => {
  const [client, server] = await meet(acceptsEveryone);
  await client.enter();
  expect(await client.ask(rcpt("qx81wz"))).toMatch(/^250 /);
  expect(server.truth("qx81wz@lab.example")).toBe("catch_all");
});

test("a server that never refuses at RCPT still knows who exists", async () => {
  const [client, server] = await meet(neverRefusesAtRcpt);
  await client.enter();
  expect(await client.ask(rcpt("eve"))).toMatch(/^250 /);
  expect(await client.ask(rcpt("eve@elsewhere.example"))).toMatch(/^554 /);
  expect(server.truth("eve@lab.example")).toBe("does_not_exist");
});

test("full and disabled mailboxes say so, beside ordinary ones", async () => {
  const [client, server] = await meet([overQuota(["ann"]), disabled(["old@lab.example"])]);
  await client.enter();
  expect(await client.ask(rcpt("ann"))).toMatch(/^452 4\.2\.2 .*full/);
  expect(await client.ask(rcpt("old"))).toMatch(/^550 5\.2\.1 .*disabled/);
  expect(await client.ask(rcpt("old@second.example"))).toMatch(/^550 5\.1\.1 /);
  expect(await client.ask(rcpt("bob"))).toMatch(/^250 /);
  expect(["ann", "old", "bob"].map((user) => server.truth(`${user}@lab.example`))).toEqual([
    "full",
    "disabled",
    "exists",
  ]);
});

test("a temperament can hold for one domain of a server that has several", async () => {
  const [client, server] = await meet(forDomain("second.example", acceptsEveryone));
  await client.enter();
  expect(await client.ask(rcpt("eve@second.example"))).toMatch(/^250 /);
  expect(await client.ask(rcpt("eve"))).toMatch(/^550 /);
  expect(server.truth("eve@second.example")).toBe("catch_all");
});

test("greylisting holds per client, sender and recipient, and ends after its delay", async () => {
  const [client] = await meet(greylists({ delayMs: 60_000 }));
  await client.enter();
  expect(await client.ask(rcpt("ann"))).toMatch(/^450 4\.2\.0 .*Greylisted/);
  expect(await client.ask(rcpt("ann"))).toMatch(/^450 /);
  const later = performance.now() + 60_000;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => later);
  onTestFinished(() => clock.mockRestore());
  expect(await client.ask(rcpt("bob"))).toMatch(/^450 /);
  expect(await client.ask(rcpt("ann"))).toMatch(/^250 /);
  await client.ask("RSET");
  await client.ask("MAIL FROM:<other@prober.example>");
  expect(await client.ask(rcpt("ann"))).toMatch(/^450 /);
});

test("a server that blocks us aims its refusal at our address, at the stage it chose", async () => {
  const blocked = /^554 5\.7\.1 .*Client host \[127\.0\.0\.1\] blocked/;
  const [atBanner] = await meet(blocksUs({ at: "banner" }));
  expect(await atBanner.reply()).toMatch(blocked);
  expect(await atBanner.reply()).toBe("closed");

  const [atEhlo] = await meet(blocksUs({ at: "ehlo" }));
  await atEhlo.reply();
  expect(await atEhlo.ask("EHLO p.example")).toMatch(blocked);

  const [atMail] = await meet(blocksUs({ at: "mail" }));
  await atMail.reply();
  await atMail.ask("EHLO p.example");
  expect(await atMail.ask("MAIL FROM:<a@b.example>")).toMatch(blocked);
  expect(await atMail.ask(rcpt("ann"))).toMatch(/^503 /);

  const [atRcpt] = await meet(blocksUs({ at: "rcpt" }));
  await atRcpt.enter();
  expect(await atRcpt.ask(rcpt("ann"))).toMatch(blocked);
});

test("a server that fails for now says 451 and means no one", async () => {
  const [client] = await meet(failsForNow({ at: "rcpt" }));
  await client.enter();
  expect(await client.ask(rcpt("ann"))).toMatch(/^451 4\.3\.0 /);
});

test("any reply can be put in a server's mouth, for some users or all", async () => {
  const [client] = await meet(answersWith({ at: "rcpt", reply: "550-no\n550 5.7.1 never", users: ["bob"] }));
  await client.enter();
  expect(await client.ask(rcpt("bob"))).toBe("550-no\n550 5.7.1 never");
  expect(await client.ask(rcpt("ann"))).toMatch(/^250 /);
});

test("of several temperaments the first that answers wins", async () => {
  const blockedFirst = [blocksUs({ at: "rcpt" }), greylists({ delayMs: 1_000 })];
  const [client] = await meet(blockedFirst);
  await client.enter();
  expect(await client.ask(rcpt("ann"))).toMatch(/^554 /);

  const [other] = await meet([...blockedFirst].reverse());
  await other.enter();
  expect(await other.ask(rcpt("ann"))).toMatch(/^450 /);
});
