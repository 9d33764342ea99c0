/** Rejections that only an existing mailbox can cause. */
import { answersWith, google, mailDomain, mailHost } from "@mailvet/lab";
import { expect, test } from "vitest";
import { reasonOf } from "../../src/reason/reason.ts";
import { decide } from "../../src/verdict.ts";
import { openStory, tellStories } from "./story.ts";

const saying = (reply: string) =>
  mailDomain({ users: ["ann", "staff"], temper: answersWith({ at: "rcpt", reply, users: ["staff"] }) });
const restricted = { staff: "risky restricted", ann: "valid", eve: "invalid mailbox_not_found" };

tellStories([
  [
    "a group for authenticated senders exists",
    saying(
      "550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required; Delivery restriction check failed",
    ),
    restricted,
  ],
  [
    "so does a list that accepts mail from members only",
    saying("550 5.7.1 RESOLVER.RST.NotAuthorized; not authorized"),
    restricted,
  ],
  ["and a mailbox for internal use", saying("550 5.7.1 This mailbox is for internal use only"), restricted],
  [
    "authentication required of every sender says nothing about a mailbox",
    saying("530 5.7.1 Client was not authenticated"),
    { staff: "unknown probe_blocked" },
  ],
  [
    "a temporary restriction is temporary",
    saying("450 4.7.1 This mailbox is for internal use only"),
    { staff: "unknown temporary_error" },
  ],
  [
    "a group that may not exist is not proven",
    saying("550 5.7.1 The group may not exist, or you may not have permission to post messages to the group"),
    { staff: "unknown probe_blocked" },
  ],
]);

test("a mailbox that receives mail too fast exists, and the reason says so", async () => {
  const host = "gmail-smtp-in.l.google.com";
  const busy = [
    "450-4.2.1 The user you are trying to contact is receiving mail at a rate that",
    "450-4.2.1 prevents additional messages from being delivered. For more information, go to",
    "450 4.2.1  https://support.google.com/mail/?p=ReceivingRate - gsmtp",
  ].join("\n");
  await using story = await openStory({
    [host]: mailHost({ temper: google }),
    "gmail.com": mailDomain({
      mx: [host],
      users: ["annabel.lab"],
      temper: answersWith({ at: "rcpt", reply: busy, users: ["annabel.lab"] }),
    }),
  });
  const evidence = await story.evidenceFor("annabel.lab@gmail.com");
  const verdict = decide(evidence);
  expect(verdict).toMatchObject({ status: "valid", subStatus: "" });
  expect(reasonOf(evidence, verdict)).toBe(
    `${host} says that this mailbox is receiving mail too fast, so it exists.`,
  );
});
