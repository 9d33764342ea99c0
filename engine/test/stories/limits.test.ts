/** Servers with limits per session: every probe is answered, in several sessions. */
import {
  answersSlowly,
  breaksWhenPipelined,
  closesAfterRecipients,
  errorLimit,
  hangsUp,
  idleTimeout,
  mailDomain,
  mailHost,
  noEhlo,
  noPipelining,
  oneDomainPerTransaction,
  pausesMidBanner,
  recipientLimit,
  splitsReplies,
  type Temper,
  type Temperament,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { manyAt, NO_VIOLATIONS, openStory, tellStories, violationsAt } from "./story.ts";

const at = (temper: Temper) => mailDomain({ users: ["ann", "bob", "cid", "dan"], temper });
const asUsual = { ann: "valid", bob: "valid", cid: "valid", dan: "valid", eve: "invalid mailbox_not_found" };

tellStories([
  ["one recipient per transaction", at(recipientLimit(1)), asUsual],
  ["two recipients per transaction", at(recipientLimit(2)), asUsual],
  ["one recipient per transaction, without pipelining", at([noPipelining, recipientLimit(1)]), asUsual],
  ["three recipients per session, then 421", at(closesAfterRecipients(3)), asUsual],
  ["two recipients per session, then no reply", at(hangsUp({ after: { recipients: 2 } })), asUsual],
  [
    "two recipients per session, then a reset",
    at(hangsUp({ after: { recipients: 2 }, mode: "abruptly" })),
    asUsual,
  ],
  ["no EHLO", at(noEhlo), asUsual],
  ["no pipelining", at(noPipelining), asUsual],
  [
    "pipelining offered, then the connection closes on it",
    at(breaksWhenPipelined({ by: "leaving" })),
    asUsual,
  ],
  ["replies byte by byte", at(splitsReplies), asUsual],
  ["a slow server", at(answersSlowly({ delayMs: 60 })), asUsual],
  ["a banner in two halves with a pause between", at(pausesMidBanner({ pauseMs: 400 })), asUsual],
  ["a short idle timeout", at(idleTimeout({ idleMs: 120 })), asUsual],
]);

test.concurrent("a server that loses pipelined commands is probed again, one command at a time", async () => {
  const temper = breaksWhenPipelined({ by: "losing" });
  await using story = await openStory({ "shop.test": at(temper) }, { probeTimeoutMs: 4000 });
  expect(await story.verdictsOn(["ann@shop.test", "eve@shop.test"])).toEqual([
    "valid",
    "invalid mailbox_not_found",
  ]);
  expect(story.lab.counts("mx.shop.test").connections).toBe(2);
});

test.concurrent("a server that stops responding after the first recipient gets one per session", async () => {
  const temper: Temperament = {
    on: { rcpt: (session) => (session.recipientsAsked > 1 ? { silent: true } : undefined) },
  };
  await using story = await openStory({ "shop.test": at(temper) }, { probeTimeoutMs: 4000 });
  const verdicts = await story.verdictsOn(
    ["ann", "bob", "cid", "dan", "eve"].map((name) => `${name}@shop.test`),
  );
  expect(verdicts).toEqual(["valid", "valid", "valid", "valid", "invalid mailbox_not_found"]);
  // Five and a decoy, one per session, and two sessions in which the limit was learned.
  expect(story.lab.counts("mx.shop.test").connections).toBeLessThanOrEqual(8);
});

test.concurrent("a host that accepts one domain per transaction is learned after one batch", async () => {
  const domains = ["one.test", "two.test", "six.test"];
  await using story = await openStory({
    "mx.host.test": mailHost({ temper: oneDomainPerTransaction }),
    ...Object.fromEntries(
      domains.map((name) => [name, mailDomain({ mx: ["mx.host.test"], users: ["ann"] })]),
    ),
  });
  const verdicts = await story.verdictsOn(domains.flatMap((name) => [`ann@${name}`, `eve@${name}`]));
  expect(verdicts).toEqual(domains.flatMap(() => ["valid", "invalid mailbox_not_found"]));
  await story.end();
  expect(story.lab.counts("mx.host.test").connections).toBeLessThanOrEqual(2); // learned once
});

test.concurrent("a session ends before the server's error limit, and every probe is answered", async () => {
  await using story = await openStory({
    "shop.test": mailDomain({
      users: ({ localPart }) => Number(localPart.slice(4)) % 2 === 0,
      temper: errorLimit({ sleepMs: 30 }),
    }),
  });
  const emails = manyAt("shop.test", 120);
  const verdicts = await story.verdictsOn(emails);
  expect(verdicts).toEqual(emails.map((_, i) => (i % 2 === 1 ? "valid" : "invalid mailbox_not_found")));
  await story.end();

  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
  const { connections } = story.lab.counts("mx.shop.test");
  expect(connections).toBeGreaterThanOrEqual(60 / 19); // the 20th rejection in a session is one too many
  expect(connections).toBeLessThanOrEqual(12);
});

test.concurrent("a learned session limit is kept: after the first 421 there is no second", async () => {
  await using story = await openStory({
    "shop.test": mailDomain({
      users: ({ localPart }) => localPart.startsWith("anna"),
      temper: closesAfterRecipients(30),
    }),
  });
  const emails = manyAt("shop.test", 100);
  expect(new Set(await story.verdictsOn(emails))).toEqual(new Set(["valid"]));
  await story.end();

  const { connections, commands } = story.lab.counts("mx.shop.test");
  expect(connections).toBeLessThanOrEqual(5);
  expect(commands.RCPT).toBeLessThanOrEqual(101 + 40); // the batch that hit the limit, and no other
});
