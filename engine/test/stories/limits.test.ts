/** Stories of servers that put up with only so much at a time: everybody is answered, in more than one go. */
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
import { manyAt, NO_RUDENESS, openStory, rudenessAt, tellStories } from "./story.ts";

const at = (temper: Temper) => mailDomain({ users: ["ann", "bob", "cid", "dan"], temper });
const asUsual = { ann: "valid", bob: "valid", cid: "valid", dan: "valid", eve: "invalid mailbox_not_found" };

tellStories([
  ["one recipient to a transaction", at(recipientLimit(1)), asUsual],
  ["two recipients to a transaction", at(recipientLimit(2)), asUsual],
  ["one recipient to a transaction, without pipelining", at([noPipelining, recipientLimit(1)]), asUsual],
  ["three recipients to a visit, and then 421", at(closesAfterRecipients(3)), asUsual],
  [
    "two recipients to a visit, and then silence on the line",
    at(hangsUp({ after: { recipients: 2 } })),
    asUsual,
  ],
  [
    "two recipients to a visit, and then a reset",
    at(hangsUp({ after: { recipients: 2 }, mode: "abruptly" })),
    asUsual,
  ],
  ["no EHLO", at(noEhlo), asUsual],
  ["no pipelining", at(noPipelining), asUsual],
  ["pipelining offered, and answered with a hang-up", at(breaksWhenPipelined({ by: "leaving" })), asUsual],
  ["replies byte by byte", at(splitsReplies), asUsual],
  ["a thoughtful server", at(answersSlowly({ delayMs: 60 })), asUsual],
  ["a banner in two halves with a pause between", at(pausesMidBanner({ pauseMs: 400 })), asUsual],
  ["little patience with the silent", at(idleTimeout({ idleMs: 120 })), asUsual],
]);

test.concurrent("a server that loses what comes early is asked again, one question at a time", async () => {
  const temper = breaksWhenPipelined({ by: "losing" });
  await using story = await openStory({ "shop.test": at(temper) }, { probeTimeoutMs: 4000 });
  expect(await story.verdictsOn(["ann@shop.test", "eve@shop.test"])).toEqual([
    "valid",
    "invalid mailbox_not_found",
  ]);
  expect(story.lab.counts("mx.shop.test").connections).toBe(2);
});

test.concurrent("a server that falls silent after the first recipient of a visit is asked for one a visit", async () => {
  const temper: Temperament = {
    on: { rcpt: (session) => (session.recipientsAsked > 1 ? { silent: true } : undefined) },
  };
  await using story = await openStory({ "shop.test": at(temper) }, { probeTimeoutMs: 4000 });
  const verdicts = await story.verdictsOn(
    ["ann", "bob", "cid", "dan", "eve"].map((name) => `${name}@shop.test`),
  );
  expect(verdicts).toEqual(["valid", "valid", "valid", "valid", "invalid mailbox_not_found"]);
  // Five and a made-up name, one a visit, and two visits in which that was learned.
  expect(story.lab.counts("mx.shop.test").connections).toBeLessThanOrEqual(8);
});

test.concurrent("a host that takes one domain at a time has taught us so after one round", async () => {
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
  expect(story.lab.counts("mx.host.test").connections).toBeLessThanOrEqual(2); // it is learned once
});

test.concurrent("we leave before the server's error limit, and everybody is answered", async () => {
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

  expect(await rudenessAt(story, "mx.shop.test")).toEqual(NO_RUDENESS);
  const { connections } = story.lab.counts("mx.shop.test");
  expect(connections).toBeGreaterThanOrEqual(60 / 19); // 20 refusals in a visit are one too many
  expect(connections).toBeLessThanOrEqual(12);
});

test.concurrent("what a host taught us about a visit's length is kept: after the first 421 there is no second", async () => {
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
  expect(commands.RCPT).toBeLessThanOrEqual(101 + 40); // the round that met the limit, and no other
});
