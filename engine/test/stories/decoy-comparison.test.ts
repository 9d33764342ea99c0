/** Rejections without a reason, compared with the rejection of the decoy. */
import { answersWith, type Mailbox, mailDomain, microsoft365 } from "@mailvet/lab";
import { expect, test } from "vitest";
import { decide } from "../../src/verdict.ts";
import { openStory, type Story, tellStories } from "./story.ts";

const isUnknown = ({ localPart }: Mailbox) => !["ann", "bob", "postmaster"].includes(localPart);
const refusing = (reply: string) =>
  mailDomain({
    users: ["ann", "bob", "postmaster"],
    temper: answersWith({ at: "rcpt", reply, users: isUnknown }),
  });
const missing = { ann: "valid", eve: "invalid mailbox_not_found" };

tellStories([
  ["a bare rejection, where others are accepted", refusing("550 Rejected"), missing],
  ["access denied, where others are accepted", refusing("550 5.7.1 Access denied"), missing],
  [
    "without any accepted recipient, the rejection may be about the client",
    refusing("550 Rejected"),
    { eve: "unknown probe_blocked" },
  ],
  [
    "postmaster is often exempt from filters, so its acceptance does not count",
    refusing("550 Rejected"),
    { postmaster: "risky role_based", eve: "unknown probe_blocked" },
  ],
  [
    "OpenSMTPD says 524 5.2.4 of unknown names alone",
    refusing("524 5.2.4 Mailing list expansion problem"),
    { eve: "invalid mailbox_not_found" },
  ],
  [
    "Microsoft 365 under the customer's own name",
    mailDomain({ users: ["ann"], temper: microsoft365 }),
    missing,
  ],
  [
    "and without its signature, by its banner alone",
    mailDomain({
      users: ["ann"],
      temper: [
        { replies: { does_not_exist: "550 5.4.1 Recipient address rejected: Access denied" } },
        microsoft365,
      ],
    }),
    { eve: "invalid mailbox_not_found" },
  ],
  [
    "the same text from another server is a policy rejection",
    mailDomain({
      users: ["ann"],
      temper: { replies: { does_not_exist: "550 5.4.1 Recipient address rejected: Access denied" } },
    }),
    { eve: "unknown probe_blocked" },
  ],
]);

test("a recipient rejected differently from the decoy is not counted as missing", async () => {
  await using story = await openStory({
    "shop.test": mailDomain({
      users: ["ann", "max"],
      temper: [
        answersWith({ at: "rcpt", reply: "550 Not now", users: ["max"] }),
        answersWith({ at: "rcpt", reply: "550 Rejected", users: isUnknown }),
      ],
    }),
  });
  expect(await story.verdictsOn(["ann@shop.test", "max@shop.test"])).toEqual([
    "valid",
    "unknown probe_blocked",
  ]);
});

test("the confidence reflects that the server gave no reason", async () => {
  await using story: Story = await openStory({ "shop.test": refusing("550 Rejected") });
  const [, eve] = await Promise.all([story.evidenceFor("ann@shop.test"), story.evidenceFor("eve@shop.test")]);
  expect(decide(eve)).toMatchObject({ subStatus: "mailbox_not_found", confidence: 0.85 });
});
