/** Replies about mailboxes, and replies about us instead. */
import {
  answersWith,
  blocksUs,
  disabled,
  failsForNow,
  greylists,
  mailDomain,
  noSmtpUtf8,
  overQuota,
  polite,
  type Temper,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { openStory, tellStories } from "./story.ts";

const at = (temper: Temper) => mailDomain({ users: ["ann", "bob", "jörg"], temper });
const blocked = { ann: "unknown probe_blocked", eve: "unknown probe_blocked" };

tellStories([
  [
    "a normal server accepts the mailboxes that exist and refuses the others",
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
    "a non-ASCII name is invalid at a server without SMTPUTF8, and others in the same batch are not affected",
    mailDomain({ users: ["ann"], temper: noSmtpUtf8 }),
    { jürg: "invalid smtputf8_unsupported", ann: "valid", eve: "invalid mailbox_not_found" },
  ],
  ["blocked at the banner, nothing is known about any mailbox", at(blocksUs({ at: "banner" })), blocked],
  ["blocked at EHLO, nothing is known about any mailbox", at(blocksUs({ at: "ehlo" })), blocked],
  ["blocked at MAIL, nothing is known about any mailbox", at(blocksUs({ at: "mail" })), blocked],
  ["blocked at RCPT, nothing is known about any mailbox", at(blocksUs({ at: "rcpt" })), blocked],
  [
    "a temporary failure at RCPT refuses no mailbox",
    at(failsForNow({ at: "rcpt" })),
    { ann: "unknown temporary_error", eve: "unknown temporary_error" },
  ],
  [
    "a temporary failure at MAIL proves nothing about a mailbox",
    at(failsForNow({ at: "mail" })),
    { ann: "unknown temporary_error", eve: "unknown temporary_error" },
  ],
  [
    "nor does one at the banner",
    at(failsForNow({ at: "banner" })),
    { ann: "unknown temporary_error", eve: "unknown temporary_error" },
  ],
  [
    "greylisting is unknown for now",
    at(greylists({ delayMs: 60_000 })),
    {
      ann: "unknown greylisted",
      eve: "unknown greylisted",
    },
  ],
  [
    "a rejected sender proves nothing about the mailbox",
    at(answersWith({ at: "rcpt", reply: "550 5.7.1 Sender address rejected: Domain not found" })),
    { ann: "unknown probe_blocked" },
  ],
  [
    "user unknown at MAIL does not refuse the recipient",
    at(answersWith({ at: "mail", reply: "550 5.1.1 User unknown" })),
    { ann: "unknown probe_blocked" },
  ],
  [
    "cannot verify (252) proves nothing",
    at(answersWith({ at: "rcpt", reply: "252 2.5.2 Cannot VRFY user, but will take message" })),
    { ann: "unknown temporary_error" },
  ],
  [
    "a temporary unknown user may be a failed lookup",
    at(answersWith({ at: "rcpt", reply: "450 4.1.1 <ann>: Recipient address rejected: User unknown" })),
    { ann: "unknown temporary_error" },
  ],
  [
    "a rate limit proves nothing about the mailbox",
    at(answersWith({ at: "mail", reply: "450 4.7.1 Error: too much mail from 127.0.0.1" })),
    { ann: "unknown rate_limited" },
  ],
  [
    "a server that requires authentication proves nothing",
    at(answersWith({ at: "mail", reply: "530 5.7.0 Authentication required" })),
    { ann: "unknown probe_blocked" },
  ],
]);

test("a recipient that cannot be sent leaves no trace in the session", async () => {
  await using story = await openStory({ "shop.test": mailDomain({ users: ["ann"], temper: noSmtpUtf8 }) });
  expect(await story.verdictOn("jürg@shop.test")).toBe("invalid smtputf8_unsupported");
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  expect(await story.verdictOn("eve@shop.test")).toBe("invalid mailbox_not_found");
  await story.end();
  expect(story.lab.heard("mx.shop.test").filter((line) => !/^(EHLO|MAIL|RCPT|RSET|QUIT)/.test(line))).toEqual(
    [],
  );
  expect(story.lab.counts("mx.shop.test").connections).toBe(1);
});
