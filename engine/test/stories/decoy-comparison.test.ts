/** Rejections without a reason, compared with the rejection of the decoy. */
import { answersWith, type Mailbox, mailDomain, mailHost, microsoft365 } from "@mailvet/lab";
import { expect, test } from "vitest";
import { decide } from "../../src/verdict.ts";
import { identityOf, manyAt, openStory, type Story, tellStories } from "./story.ts";

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

const manyUsers = manyAt("shop.test", 30);
const localPartsOf = (emails: readonly string[]) => emails.map((email) => email.split("@")[0]!);
const unexplained = ["550 Administrative prohibition", "550 5.7.1 Rejected", "554 Transaction failed"];

test.for([1, 2, 3])(
  "sessions that refuse every recipient prove nothing, whatever later ones accept (%i)",
  async (sessions) => {
    const emails = manyUsers.slice(0, 24);
    await using story = await openStory({
      "shop.test": mailDomain({
        users: localPartsOf(emails),
        temper: {
          on: { rcpt: ({ number }) => (number <= sessions ? { reply: "550 5.7.1 Rejected" } : undefined) },
        },
      }),
    });
    const verdicts = await story.verdictsOn(emails);
    expect(verdicts).toContain("valid");
    expect(new Set(verdicts)).toEqual(new Set(["valid", "unknown probe_blocked"]));
  },
);

test.for(unexplained)("a large provider that begins to refuse every recipient: %s", async (reply) => {
  let isBlocking = false;
  const temper = { on: { rcpt: () => (isBlocking ? { reply } : undefined) } };
  await using story = await openStory({
    "smtp-in.orange.fr": mailHost({ temper }),
    "shop.test": mailDomain({ mx: ["smtp-in.orange.fr"], users: localPartsOf(manyUsers) }),
  });
  // So many that the decoy is due again.
  for (const email of manyUsers.slice(0, 26)) expect(await story.verdictOn(email)).toBe("valid");
  isBlocking = true;
  for (const email of manyUsers.slice(26)) expect(await story.verdictOn(email)).toBe("unknown probe_blocked");
});

test.for(["127.0.0.2", "127.0.0.3"])(
  "what one egress identity is told says nothing about another (%s)",
  async (rejected) => {
    await using story = await openStory(
      {
        "shop.test": mailDomain({
          users: localPartsOf(manyUsers),
          temper: {
            on: {
              rcpt: ({ client }) =>
                client === rejected ? { reply: "550 Administrative prohibition" } : undefined,
            },
          },
        }),
      },
      {
        egress: [
          identityOf("one", { sourceAddress: "127.0.0.2" }),
          identityOf("two", { sourceAddress: "127.0.0.3" }),
        ],
      },
    );
    const verdicts = await story.verdictsOn(manyUsers);
    expect(verdicts.filter((verdict) => verdict.startsWith("invalid"))).toEqual([]);
    expect(verdicts).toContain("valid");
  },
);

test("a host that takes one recipient per transaction and does not say so", async () => {
  await using story = await openStory({
    "shop.test": mailDomain({
      users: ["ann", "bob", "carl", "dora"],
      temper: {
        on: {
          rcpt: ({ recipients }) => (recipients.length > 0 ? { reply: "550 5.7.1 Rejected" } : undefined),
        },
      },
    }),
  });
  const [ann, ...others] = await story.verdictsOn(
    ["ann", "bob", "carl", "dora"].map((name) => `${name}@shop.test`),
  );
  expect(ann).toBe("valid");
  for (const verdict of others) expect(["valid", "unknown probe_blocked"]).toContain(verdict);
});

test("a mailbox of another domain at the same host proves nothing", async () => {
  await using story = await openStory({
    "mx.host.test": mailHost({
      temper: answersWith({
        at: "rcpt",
        reply: "550 Rejected",
        users: ({ domain }) => domain === "blocks.test",
      }),
    }),
    "shop.test": mailDomain({ mx: ["mx.host.test"], users: ["ann"] }),
    "blocks.test": mailDomain({ mx: ["mx.host.test"], users: ["bob"] }),
  });
  expect(await story.verdictsOn(["bob@blocks.test", "ann@shop.test"])).toEqual([
    "unknown probe_blocked",
    "valid",
  ]);
});

test("a missing mailbox is found later as well, since the accepted one is asked for again", async () => {
  await using story = await openStory({ "shop.test": refusing("550 Rejected") }, { idleSessionMs: 1 });
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  expect(await story.verdictOn("eve@shop.test")).toBe("invalid mailbox_not_found");
});

test("missing mailboxes before the first accepted one of their session", async () => {
  await using story = await openStory({ "shop.test": refusing("550 Rejected") });
  expect(await story.verdictsOn(["eve@shop.test", "ann@shop.test"])).toEqual([
    "invalid mailbox_not_found",
    "valid",
  ]);
});

test.each(["550 4.2.0 try again later", "550 4.7.0 Try again later", "554 4.3.0 Temporary"])(
  "a permanent code with a temporary status is no missing mailbox: %s",
  async (reply) => {
    await using story = await openStory({
      "shop.test": mailDomain({
        users: ["ann", "bob"],
        temper: { on: { rcpt: ({ address }) => (address === "ann@shop.test" ? undefined : { reply }) } },
      }),
    });
    await story.verdictOn("ann@shop.test");
    expect(await story.verdictOn("bob@shop.test")).toMatch(/^unknown /);
  },
);
