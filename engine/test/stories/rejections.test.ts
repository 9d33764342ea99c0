/** Rejections of mailboxes, and rejections of the client. */
import {
  answersWith,
  blocksClient,
  disabled,
  failsTemporarily,
  greylists,
  mailDomain,
  noSmtpUtf8,
  overQuota,
  polite,
  type Temper,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { reasonOf } from "../../src/reason/reason.ts";
import { decide } from "../../src/verdict.ts";
import { openStory, tellStories } from "./story.ts";

const at = (temper: Temper) => mailDomain({ users: ["ann", "bob", "jörg"], temper });
const blocked = { ann: "unknown probe_blocked", eve: "unknown probe_blocked" };

tellStories([
  [
    "an ordinary server confirms existing mailboxes and rejects missing ones",
    at(polite),
    { ann: "valid", bob: "valid", eve: "invalid mailbox_not_found", jörg: "valid" },
  ],
  ["a full mailbox exists", at(overQuota(["max"])), { max: "risky mailbox_full" }],
  [
    "a disabled mailbox is invalid",
    at(disabled(["former"])),
    { former: "invalid mailbox_disabled", ann: "valid" },
  ],
  [
    "a non-ASCII local part is invalid at a server without SMTPUTF8, and does not affect others in the batch",
    mailDomain({ users: ["ann"], temper: noSmtpUtf8 }),
    { jürg: "invalid smtputf8_unsupported", ann: "valid", eve: "invalid mailbox_not_found" },
  ],
  ["blocked at the banner: every mailbox is unknown", at(blocksClient({ at: "banner" })), blocked],
  ["blocked at EHLO: every mailbox is unknown", at(blocksClient({ at: "ehlo" })), blocked],
  ["blocked at MAIL: every mailbox is unknown", at(blocksClient({ at: "mail" })), blocked],
  ["blocked at RCPT: every mailbox is unknown", at(blocksClient({ at: "rcpt" })), blocked],
  [
    "a temporary error at RCPT is no rejection",
    at(failsTemporarily({ at: "rcpt" })),
    { ann: "unknown temporary_error", eve: "unknown temporary_error" },
  ],
  [
    "nor is one at MAIL",
    at(failsTemporarily({ at: "mail" })),
    { ann: "unknown temporary_error", eve: "unknown temporary_error" },
  ],
  [
    "nor is one at the banner",
    at(failsTemporarily({ at: "banner" })),
    { ann: "unknown temporary_error", eve: "unknown temporary_error" },
  ],
  [
    "greylisting is unknown",
    at(greylists({ delayMs: 60_000 })),
    {
      ann: "unknown greylisted",
      eve: "unknown greylisted",
    },
  ],
  [
    "a rejected sender says nothing about the mailbox",
    at(answersWith({ at: "rcpt", reply: "550 5.7.1 Sender address rejected: Domain not found" })),
    { ann: "unknown probe_blocked" },
  ],
  [
    "a mailbox named in a rejection of MAIL is not rejected itself",
    at(answersWith({ at: "mail", reply: "550 5.1.1 User unknown" })),
    { ann: "unknown probe_blocked" },
  ],
  [
    "cannot verify (252) neither proves nor denies",
    at(answersWith({ at: "rcpt", reply: "252 2.5.2 Cannot VRFY user, but will take message" })),
    { ann: "unknown temporary_error" },
  ],
  [
    "a temporary unknown user may be a failed lookup",
    at(answersWith({ at: "rcpt", reply: "450 4.1.1 <ann>: Recipient address rejected: User unknown" })),
    { ann: "unknown temporary_error" },
  ],
  [
    "a permanent code with a temporary status is no proof",
    at(answersWith({ at: "rcpt", reply: "550 4.1.1 User unknown" })),
    { ann: "unknown temporary_error" },
  ],
  [
    "a rate limit says nothing about the mailbox",
    at(answersWith({ at: "mail", reply: "450 4.7.1 Error: too much mail from 127.0.0.1" })),
    { ann: "unknown rate_limited" },
  ],
  [
    "a server that requires authentication says nothing about the mailbox",
    at(answersWith({ at: "mail", reply: "530 5.7.0 Authentication required" })),
    { ann: "unknown probe_blocked" },
  ],
]);

test("a probe that cannot be sent leaves no trace in the session", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"], temper: noSmtpUtf8 }) });
  expect(await story.verdictOn("jürg@shop.test")).toBe("invalid smtputf8_unsupported");
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  expect(await story.verdictOn("eve@shop.test")).toBe("invalid mailbox_not_found");
  await story.end();
  expect(
    story.lab.received("mx.shop.test").filter((line) => !/^(EHLO|MAIL|RCPT|RSET|QUIT)/.test(line)),
  ).toEqual([]);
  expect(story.lab.counts("mx.shop.test").connections).toBe(1);
});

test("what a breaker keeps from being asked says since when, and has no reply of another mailbox", async () => {
  const reply = "550 5.7.1 <{address}>: your address 127.0.0.1 is on our blocklist";
  await using story = await openStory({
    "shop.test": mailDomain({ users: ["ann"], temper: answersWith({ at: "rcpt", reply }) }),
  });
  for (const name of ["ann", "bob", "cem"]) {
    const { mailbox } = await story.evidenceFor(`${name}@shop.test`);
    expect(mailbox).toMatchObject({ answer: "probe_blocked", isAboutUs: true, retryAfterSeconds: 900 });
    expect(mailbox!.reply).toMatchObject({ code: 550 });
  }
  const unasked = await story.evidenceFor("dan@shop.test");
  expect(reasonOf(unasked, decide(unasked))).toBe(
    "mx.shop.test refuses the address of this installation at the moment, so this mailbox was not checked.",
  );
  const { mailbox } = unasked;
  expect(mailbox).toEqual({
    answer: "probe_blocked",
    mxHost: "mx.shop.test",
    isAboutUs: true,
    refusedSinceMs: expect.any(Number),
    retryAfterSeconds: expect.any(Number),
  });
  expect(mailbox!.retryAfterSeconds).toBeLessThanOrEqual(900);
  expect(story.lab.received("mx.shop.test").join(" ")).not.toContain("dan@");
});

test.for([
  ["banner", "521 5.3.2 This host does not accept mail"],
  ["mail", "530 5.7.0 Authentication required"],
] as const)("what a server asks of every client is not about us (%s)", async ([at, reply]) => {
  await using story = await openStory({
    "shop.test": mailDomain({ users: ["ann"], temper: answersWith({ at, reply }) }),
  });
  for (const name of ["ann", "bob", "cem", "dan"]) {
    const { mailbox } = await story.evidenceFor(`${name}@shop.test`);
    expect(mailbox).toMatchObject({ answer: "probe_blocked", reply: expect.anything() });
    expect(mailbox).not.toHaveProperty("isAboutUs");
  }
});
