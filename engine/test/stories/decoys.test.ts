/** Decoys: what their rejection proves, and servers that accept plausible names only. */
import { answersWith, google, type Mailbox, mailDomain, mailHost, type Temperament } from "@mailvet/lab";
import { expect, test } from "vitest";
import { reportOf } from "../../src/report.ts";
import { openStory, tellStories } from "./story.ts";

const isPerson = ({ localPart }: Mailbox) => /^[a-z]+\.[a-z]+$/.test(localPart);
const isStranger = ({ localPart }: Mailbox) => localPart !== "ann";
const asking = { requestId: "r", planTier: "free", responseTimeMs: 1, checkedAtMs: 0, cached: false };

const refusing = (reply: string) =>
  mailDomain({ users: ["ann"], temper: answersWith({ at: "rcpt", reply, users: isStranger }) });

/** Accepts whatever looks like a person's name, and rejects the rest. */
const takesPersons: Temperament = { mailbox: (mailbox) => (isPerson(mailbox) ? "catch_all" : undefined) };

tellStories([
  ...[
    "550 ",
    "550 Rejected",
    "550 5.7.1 Access denied",
    "553 5.3.0 Sorry",
    "554 5.1.0 Rejected",
    "524 5.2.4 Mailing list expansion problem",
    "550 Administrative prohibition",
    "550 5.7.1 This mailbox is for internal use only",
    "550 5.7.1 Message rejected as spam",
    "550 5.7.1 Authentication required",
  ].map(
    (reply) =>
      [
        `a made-up name refused with "${reply}" proves the mailbox`,
        refusing(reply),
        { ann: "valid" },
      ] as const,
  ),
  [
    "a decoy rejected because of the client proves nothing",
    refusing("550 5.7.1 Client host [127.0.0.1] blocked using bl.example.org"),
    { ann: "unknown probe_blocked" },
  ],
  [
    "nor does one rejected because of our sender",
    refusing("550 5.7.1 Sender address rejected: not authorised"),
    { ann: "unknown probe_blocked" },
  ],
  [
    "nor does one rejected because of our rate",
    refusing("550 5.7.1 Too many messages from your address"),
    { ann: "unknown rate_limited" },
  ],
  [
    "a server that accepts every plausible name is a catch-all",
    mailDomain({ users: ["ann"], temper: takesPersons }),
    { "carla.jones": "risky catch_all", ann: "risky catch_all" },
  ],
]);

test("two decoys of different kinds are probed before a domain is called a catch-all", async () => {
  await using story = await openStory({
    "open.test": mailDomain({ temper: { mailbox: () => "catch_all" } }),
    "persons.test": mailDomain({ temper: takesPersons }),
  });
  const open = await story.evidenceFor("ann@open.test");
  const persons = await story.evidenceFor("carla.jones@persons.test");
  await story.end();

  expect(open.decoy).toMatchObject({ answer: "accepted", confidence: 0.96 });
  expect(persons.decoy).toMatchObject({ answer: "accepted", confidence: 0.85 });
  for (const host of ["mx.open.test", "mx.persons.test"]) {
    const { commands, connections } = story.lab.counts(host);
    expect({ connections, recipients: commands.RCPT }).toEqual({ connections: 1, recipients: 3 });
  }
});

test("at a major provider a plausible decoy may exist: the random one decides", async () => {
  const host = "gmail-smtp-in.l.google.com";
  await using story = await openStory({
    [host]: mailHost({ temper: google }),
    "gmail.com": mailDomain({ mx: [host], users: isPerson }),
  });
  expect(await story.verdictOn("carla.jones@gmail.com")).toBe("valid");
  expect(await story.verdictOn("nobodyatall@gmail.com")).toBe("invalid mailbox_not_found");
});

test("the result shows the reply about the mailbox, and the reason quotes the reply that decided", async () => {
  await using story = await openStory({ "shop.test": refusing("451 4.3.0 Temporary lookup failure") });
  const { details, reason, sub_status } = reportOf(await story.evidenceFor("ann@shop.test"), asking);
  expect(sub_status).toBe("temporary_error");
  expect(details).toMatchObject({ smtp_valid: true, smtp_code: 250 });
  expect(reason).toBe(
    "mx.shop.test reports a temporary error. It accepts this mailbox; its reply for a made-up one: 451 4.3.0 Temporary lookup failure.",
  );
});
