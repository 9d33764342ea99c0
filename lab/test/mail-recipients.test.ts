/** Replies to RCPT: existing, full, disabled, greylisted, blocked. */
import { expect, onTestFinished, test, vi } from "vitest";
import {
  acceptsEveryone,
  answersWith,
  blocksClient,
  disabled,
  failsTemporarily,
  forDomain,
  greylists,
  neverRefusesAtRcpt,
  overQuota,
} from "../src/mail/index.ts";
import { connectTo, rcpt } from "./mail-setup.ts";

test("a server that accepts everyone is a real catch-all", async () => {
  const [client, server] = await connectTo(acceptsEveryone);
  await client.enter();
  expect(await client.command(rcpt("qx81wz"))).toMatch(/^250 /);
  expect(server.truth("qx81wz@lab.example")).toBe("catch_all");
});

test("a server that never rejects at RCPT still knows which mailboxes exist", async () => {
  const [client, server] = await connectTo(neverRefusesAtRcpt);
  await client.enter();
  expect(await client.command(rcpt("eve"))).toMatch(/^250 /);
  expect(await client.command(rcpt("eve@elsewhere.example"))).toMatch(/^554 /);
  expect(server.truth("eve@lab.example")).toBe("does_not_exist");
});

test("full and disabled mailboxes are reported, beside ordinary ones", async () => {
  const [client, server] = await connectTo([overQuota(["ann"]), disabled(["old@lab.example"])]);
  await client.enter();
  expect(await client.command(rcpt("ann"))).toMatch(/^452 4\.2\.2 .*full/);
  expect(await client.command(rcpt("old"))).toMatch(/^550 5\.2\.1 .*disabled/);
  expect(await client.command(rcpt("old@second.example"))).toMatch(/^550 5\.1\.1 /);
  expect(await client.command(rcpt("bob"))).toMatch(/^250 /);
  expect(["ann", "old", "bob"].map((user) => server.truth(`${user}@lab.example`))).toEqual([
    "full",
    "disabled",
    "exists",
  ]);
});

test("a temperament can apply to one domain of a shared server", async () => {
  const [client, server] = await connectTo(forDomain("second.example", acceptsEveryone));
  await client.enter();
  expect(await client.command(rcpt("eve@second.example"))).toMatch(/^250 /);
  expect(await client.command(rcpt("eve"))).toMatch(/^550 /);
  expect(server.truth("eve@second.example")).toBe("catch_all");
});

test("greylisting applies per client, sender and recipient, and ends after its delay", async () => {
  const [client] = await connectTo(greylists({ delayMs: 60_000 }));
  await client.enter();
  expect(await client.command(rcpt("ann"))).toMatch(/^450 4\.2\.0 .*Greylisted/);
  expect(await client.command(rcpt("ann"))).toMatch(/^450 /);
  const later = performance.now() + 60_000;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => later);
  onTestFinished(() => clock.mockRestore());
  expect(await client.command(rcpt("bob"))).toMatch(/^450 /);
  expect(await client.command(rcpt("ann"))).toMatch(/^250 /);
  await client.command("RSET");
  await client.command("MAIL FROM:<other@prober.example>");
  expect(await client.command(rcpt("ann"))).toMatch(/^450 /);
});

test("a blocking server rejects the client address, at the chosen stage", async () => {
  const blocked = /^554 5\.7\.1 .*Client host \[127\.0\.0\.1\] blocked/;
  const [atBanner] = await connectTo(blocksClient({ at: "banner" }));
  expect(await atBanner.reply()).toMatch(blocked);
  expect(await atBanner.reply()).toBe("closed");

  const [atEhlo] = await connectTo(blocksClient({ at: "ehlo" }));
  await atEhlo.reply();
  expect(await atEhlo.command("EHLO p.example")).toMatch(blocked);

  const [atMail] = await connectTo(blocksClient({ at: "mail" }));
  await atMail.reply();
  await atMail.command("EHLO p.example");
  expect(await atMail.command("MAIL FROM:<a@b.example>")).toMatch(blocked);
  expect(await atMail.command(rcpt("ann"))).toMatch(/^503 /);

  const [atRcpt] = await connectTo(blocksClient({ at: "rcpt" }));
  await atRcpt.enter();
  expect(await atRcpt.command(rcpt("ann"))).toMatch(blocked);
});

test("a server that fails temporarily replies 451", async () => {
  const [client] = await connectTo(failsTemporarily({ at: "rcpt" }));
  await client.enter();
  expect(await client.command(rcpt("ann"))).toMatch(/^451 4\.3\.0 /);
});

test("any reply can be configured, for some users or all", async () => {
  const [client] = await connectTo(
    answersWith({ at: "rcpt", reply: "550-no\n550 5.7.1 never", users: ["bob"] }),
  );
  await client.enter();
  expect(await client.command(rcpt("bob"))).toBe("550-no\n550 5.7.1 never");
  expect(await client.command(rcpt("ann"))).toMatch(/^250 /);
});

test("of several temperaments, the first that answers wins", async () => {
  const blockedFirst = [blocksClient({ at: "rcpt" }), greylists({ delayMs: 1_000 })];
  const [client] = await connectTo(blockedFirst);
  await client.enter();
  expect(await client.command(rcpt("ann"))).toMatch(/^554 /);

  const [other] = await connectTo([...blockedFirst].reverse());
  await other.enter();
  expect(await other.command(rcpt("ann"))).toMatch(/^450 /);
});
