/** Several mail hosts: the next one is tried when one fails. */
import {
  answersWith,
  blocksClient,
  failsTemporarily,
  hangsUp,
  mailDomain,
  mailHost,
  noEhlo,
  noSmtpUtf8,
  openLab,
  saysNothing,
  servfail,
  type Temperament,
} from "@mailvet/lab";
import { describe, expect, test } from "vitest";
import { reasonOf } from "../../src/reason/reason.ts";
import { decide } from "../../src/verdict.ts";
import { until } from "../until.ts";
import { manyAt, NO_VIOLATIONS, openStory, tellStories, violationsAt } from "./story.ts";

const users = ["ann"];
const asUsual = { ann: "valid", eve: "invalid mailbox_not_found" };
const TAKES_NO_MAIL = answersWith({ at: "banner", reply: "521 5.3.2 This host does not accept mail" });

tellStories([
  ["the first host is down", mailDomain({ users, hosts: { a: { down: true }, b: {} } }), asUsual],
  [
    "the first closes the connection",
    mailDomain({ users, hosts: { a: { temper: hangsUp({ after: "banner" }) }, b: {} } }),
    asUsual,
  ],
  [
    "the first blocks us at the banner",
    mailDomain({ users, hosts: { a: { temper: blocksClient({ at: "banner" }) }, b: {} } }),
    asUsual,
  ],
  [
    "the first sends a temporary error at the banner",
    mailDomain({ users, hosts: { a: { temper: failsTemporarily({ at: "banner" }) }, b: {} } }),
    asUsual,
  ],
  [
    "the first accepts no mail",
    mailDomain({ users, hosts: { a: { temper: TAKES_NO_MAIL }, b: {} } }),
    asUsual,
  ],
  [
    "the first accepts no mail and the second is down: a rejection before RCPT is about the client",
    mailDomain({ users, hosts: { a: { temper: TAKES_NO_MAIL }, b: { down: true } } }),
    { ann: "unknown probe_blocked" },
  ],
  [
    "no host accepts our mail",
    mailDomain({ hosts: { a: { temper: TAKES_NO_MAIL }, b: { temper: TAKES_NO_MAIL } } }),
    { eve: "unknown probe_blocked" },
  ],
  ...[
    "521 Host does not accept mail",
    "521 5.3.2 a.shop.test does not accept mail",
    "550 Recipient domain does not exist",
  ].map(
    (reply) =>
      [
        `the first says at RCPT: ${reply}`,
        mailDomain({ users, hosts: { a: { temper: answersWith({ at: "rcpt", reply }) }, b: {} } }),
        asUsual,
      ] as const,
  ),
  [
    "the domain does not exist according to the first, and the second is down: undecided",
    mailDomain({
      users,
      hosts: {
        a: { temper: answersWith({ at: "rcpt", reply: "550 Recipient domain does not exist" }) },
        b: { down: true },
      },
    }),
    { ann: "unknown smtp_unreachable" },
  ],
  [
    "the domain does not exist according to both",
    mailDomain({
      hosts: {
        a: { temper: answersWith({ at: "rcpt", reply: "550 Recipient domain does not exist" }) },
        b: { temper: answersWith({ at: "rcpt", reply: "521 Host does not accept mail" }) },
      },
    }),
    { eve: "invalid domain_not_accepted" },
  ],
  [
    "blocked by the first, and the second is down: the result is probe_blocked",
    mailDomain({ users, hosts: { a: { temper: blocksClient({ at: "banner" }) }, b: { down: true } } }),
    { ann: "unknown probe_blocked" },
  ],
  [
    "all are down",
    mailDomain({ users, hosts: { a: { down: true }, b: { down: true } } }),
    { ann: "unknown smtp_unreachable" },
  ],
  [
    "no MX record, but the domain's own address accepts mail",
    mailDomain({ users, implicitMx: true }),
    asUsual,
  ],
]);

test.concurrent("the first host is silent", async () => {
  const hosts = { a: { temper: saysNothing({ at: "banner" }) }, b: {} };
  await using story = await openStory(
    { "shop.test": mailDomain({ users, hosts }) },
    { probeTimeoutMs: 6000 },
  );
  expect(await story.verdictsOn(["ann@shop.test", "eve@shop.test"])).toEqual(Object.values(asUsual));
});

test.concurrent("domain_not_accepted only if every host says so", async () => {
  await using story = await openStory({
    "a.host.test": mailHost(),
    "b.host.test": mailHost(),
    "elsewhere.test": mailDomain({ users }),
    "shared.test": mailDomain({ users, mx: ["b.host.test"], records: mx("a.host.test", "b.host.test") }),
    "nobody.test": mx("a.host.test", "b.host.test"),
  });
  expect(await story.verdictOn("ann@shared.test")).toBe("valid"); // a says "relay access denied", b knows the mailbox
  expect(await story.verdictOn("eve@shared.test")).toBe("invalid mailbox_not_found");
  expect(await story.verdictOn("ann@nobody.test")).toBe("invalid domain_not_accepted");
  await story.end();
  expect(await violationsAt(story, "a.host.test")).toEqual(NO_VIOLATIONS);
  expect(await violationsAt(story, "b.host.test")).toEqual(NO_VIOLATIONS);
});

test.concurrent("the second address of a host is tried when the first is dead", async () => {
  await using lab = await openLab({ "shop.test": mailDomain({ users }) });
  await using story = await openStory(
    {
      "shop.test": { MX: [{ preference: 10, exchange: "mx.shop.test" }] },
      "mx.shop.test": { A: ["127.0.9.9", lab.addressOf("mx.shop.test")] }, // no listener at the first
    },
    { smtpPort: lab.smtpPort },
  );
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  expect(lab.counts("mx.shop.test").connections).toBe(1);
});

test.concurrent("with several concurrent sessions, no probe waits for ever for a dead host", async () => {
  await using story = await openStory(
    { "shop.test": mailDomain({ users, down: true }) },
    { connectionsPerHost: 4 },
  );
  const verdicts = await story.verdictsOn(manyAt("shop.test", 100));
  expect(new Set(verdicts)).toEqual(new Set(["unknown smtp_unreachable"]));
});

test.concurrent("a dead host is not contacted again for a while", async () => {
  await using story = await openStory(
    { "shop.test": mailDomain({ users, temper: saysNothing({ at: "banner" }) }) },
    { probeTimeoutMs: 8000 },
  );
  expect(await story.verdictOn("ann@shop.test")).toBe("unknown smtp_timeout");
  const verdicts = await story.verdictsOn(manyAt("shop.test", 50));
  expect(new Set(verdicts)).toEqual(new Set(["unknown smtp_timeout"]));
  expect(story.lab.counts("mx.shop.test").connections).toBe(1);
});

const RELAYS_EVERYTHING = answersWith({ at: "rcpt", reply: "250 2.1.5 Ok" });

test.concurrent("a mailbox that only the backup host accepts is not valid because the first refused a decoy", async () => {
  let isDown = false;
  const a = { on: { banner: () => (isDown ? { close: "abruptly" as const } : undefined) } };
  const hosts = { a: { temper: a }, b: { temper: RELAYS_EVERYTHING } };
  await using story = await openStory({ "shop.test": mailDomain({ users, hosts }) }, { idleSessionMs: 1 });
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  await until(() => story.lab.counts("a.shop.test").openConnections === 0);
  isDown = true;
  expect(await story.verdictOn("eve@shop.test")).toBe("risky catch_all");
});

test.concurrent("a domain is not catch-all because its backup host accepts a decoy", async () => {
  let deferred = 0;
  // The decoy, and nothing else, is deferred once.
  const isDecoy = (address: string) => !/^(ann|eve)@/.test(address) && ++deferred === 1;
  const a: Temperament = {
    on: { rcpt: ({ address }) => (isDecoy(address) ? { reply: "451 4.3.0 Try again later" } : undefined) },
  };
  await using story = await openStory({
    "shop.test": mailDomain({ users, hosts: { a: { temper: a }, b: { temper: RELAYS_EVERYTHING } } }),
  });
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  expect(await story.verdictOn("eve@shop.test")).toBe("invalid mailbox_not_found");
  expect(deferred).toBeGreaterThan(1);
});

test.concurrent("a catch-all domain whose first host is down is not asked for every mailbox", async () => {
  const hosts = { a: { down: true }, b: { temper: RELAYS_EVERYTHING } };
  await using story = await openStory({ "shop.test": mailDomain({ users: [], hosts }) });
  for (const emails of [manyAt("shop.test", 50), manyAt("shop.test", 100).slice(50)])
    expect(new Set(await story.verdictsOn(emails))).toEqual(new Set(["risky catch_all"]));
  expect(story.lab.counts("b.shop.test").commands.RCPT).toBeLessThanOrEqual(20 + 4);
});

/** A backup host whose list of mailboxes is old, or which refuses everything. */
const REFUSES_ALL = ["550 5.1.1 User unknown", "550 5.2.1 Mailbox disabled", "550 Rejected"];
const refusingBackup = (reply: string) => mailHost({ temper: answersWith({ at: "rcpt", reply }) });

describe.each(REFUSES_ALL)("a backup host of another operator says %s", (reply) => {
  test.concurrent("while the first host is down: undecided", async () => {
    await using story = await openStory({
      "mx.shop.test": mailHost({ down: true }),
      "mx.backup.test": refusingBackup(reply),
      "shop.test": mailDomain({ users, mx: ["mx.shop.test", "mx.backup.test"] }),
    });
    const { mailbox, ...evidence } = await story.evidenceFor("ann@shop.test");
    const verdict = decide({ ...evidence, mailbox: mailbox! });
    expect(verdict).toMatchObject({ status: "unknown", subStatus: "temporary_error" });
    expect(reasonOf({ ...evidence, mailbox: mailbox! }, verdict)).toBe(
      "mx.backup.test rejects this mailbox, but it is a backup of another operator, and the preferred mail server of shop.test gave no answer.",
    );
    expect(mailbox!.retryAfterSeconds).toBe(900);
  });

  test.concurrent("after the first host deferred the mailbox: the deferral stands", async () => {
    await using story = await openStory({
      "mx.shop.test": mailHost({ temper: answersWith({ at: "rcpt", reply: "451 4.7.1 Greylisted" }) }),
      "mx.backup.test": refusingBackup(reply),
      "shop.test": mailDomain({ users, mx: ["mx.shop.test", "mx.backup.test"] }),
    });
    expect(await story.verdictOn("ann@shop.test")).toBe("unknown greylisted");
  });

  test.concurrent("while the name of the first host cannot be looked up: undecided", async () => {
    await using story = await openStory({
      "mx.backup.test": refusingBackup(reply),
      "mx.shop.test": { answers: servfail },
      "shop.test": mailDomain({
        users,
        records: mx("mx.shop.test", "mx.backup.test"),
        mx: ["mx.backup.test"],
      }),
    });
    expect(await story.verdictOn("ann@shop.test")).toBe("unknown temporary_error");
  });
});

test.concurrent("a host without the domain leaves the decision to that of another operator", async () => {
  await using story = await openStory({
    "mx.old.test": mailHost(),
    "mx.new.test": mailHost(),
    "shop.test": mailDomain({ users, mx: ["mx.new.test"], records: mx("mx.old.test", "mx.new.test") }),
  });
  expect(await story.verdictsOn(["ann@shop.test", "eve@shop.test"])).toEqual(Object.values(asUsual));
});

test.concurrent("hosts of other operators with the same preference decide, whichever is up", async () => {
  await using story = await openStory({
    "mx.one.test": mailHost({ down: true }),
    "mx.two.test": mailHost(),
    "shop.test": mailDomain({
      users,
      mx: ["mx.two.test"],
      records: { MX: ["mx.one.test", "mx.two.test"].map((exchange) => ({ preference: 10, exchange })) },
    }),
  });
  expect(await story.verdictsOn(["ann@shop.test", "eve@shop.test"])).toEqual(Object.values(asUsual));
});

test.concurrent("hosts of one operator decide under any of its names", async () => {
  const records = mx("aspmx.l.google.com", "aspmx2.googlemail.com");
  await using story = await openStory({
    "aspmx.l.google.com": mailHost({ down: true }),
    "aspmx2.googlemail.com": mailHost(),
    "shop.test": mailDomain({ users, mx: ["aspmx2.googlemail.com"], records }),
  });
  expect(await story.verdictsOn(["ann@shop.test", "eve@shop.test"])).toEqual(Object.values(asUsual));
});

/** The reply of some servers to unknown mailboxes of their own domains. */
const RELAYS_ONLY_KNOWN: Temperament = {
  on: {
    rcpt: ({ address }) => (address.startsWith("ann@") ? undefined : { reply: "550 5.7.1 Relaying denied" }),
  },
};

test.concurrent.each([1, 2])(
  "a decoy that is refused as if its domain were unknown proves a mailbox, with mail hosts: %s",
  async (count) => {
    const all = { a: { temper: RELAYS_ONLY_KNOWN }, b: { temper: RELAYS_ONLY_KNOWN } };
    const hosts = count === 1 ? { a: all.a } : all;
    await using story = await openStory({ "shop.test": mailDomain({ users, hosts }) });
    expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  },
);

/** Defers one mailbox, so that the next host is asked. */
const DEFERS_LATE: Temperament = {
  on: {
    rcpt: ({ address }) => (address.startsWith("late") ? { reply: "451 4.3.0 Try again later" } : undefined),
  },
};
const isNumbered = ({ localPart }: { localPart: string }) => /^(anna|late)/.test(localPart);

test.concurrent("mailboxes are asked at the first host, also while the next one is asked for another mailbox", async () => {
  const hosts = { a: { temper: DEFERS_LATE }, b: { temper: RELAYS_EVERYTHING } };
  await using story = await openStory({ "shop.test": mailDomain({ users: isNumbered, hosts }) });
  const left = [...manyAt("shop.test", 200), "eve@shop.test"];
  for (let n = 10; n > 0; n--) left.splice(n * 15, 0, `late${n}@shop.test`);
  const verdicts = new Map<string, number>();
  const checkOneByOne = async () => {
    for (let email = left.shift(); email; email = left.shift()) {
      const verdict = await story.verdictOn(email);
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    }
  };
  await Promise.all([checkOneByOne(), checkOneByOne(), checkOneByOne(), checkOneByOne()]);
  expect(Object.fromEntries(verdicts)).toEqual({
    valid: 200,
    "unknown greylisted": 10,
    "invalid mailbox_not_found": 1,
  });
  // Each change of hosts is for at least one of the deferred mailboxes, or for one that a control has put off.
  expect(story.lab.counts("b.shop.test").connections).toBeLessThanOrEqual(12);
  expect(story.lab.counts("a.shop.test").connections).toBeLessThanOrEqual(14); // each check costs a refusal at first
});

test.concurrent("a mailbox is not undecided because the next host failed while it was asked for another", async () => {
  let fail = () => {};
  const isOver = new Promise<void>((resolve) => {
    fail = resolve;
  });
  const fails: Temperament = { on: { banner: () => ({ until: isOver, close: "abruptly" }) } };
  const hosts = { a: { temper: DEFERS_LATE }, b: { temper: fails } };
  await using story = await openStory({ "shop.test": mailDomain({ users: isNumbered, hosts }) });
  const deferred = story.verdictOn("late1@shop.test");
  await until(() => story.lab.counts("b.shop.test").openConnections === 1);
  const verdict = story.verdictOn("anna1@shop.test");
  fail();
  expect(await Promise.all([deferred, verdict])).toEqual(["unknown greylisted", "valid"]);
});

function mx(...exchanges: string[]) {
  return { MX: exchanges.map((exchange, index) => ({ preference: 10 * (index + 1), exchange })) };
}

test.concurrent("a non-ASCII local part is probed at the host that supports SMTPUTF8", async () => {
  await using story = await openStory({
    "two.test": mailDomain({ users: ["jörg"], hosts: { mx1: { temper: noSmtpUtf8 }, mx2: {} } }),
    "old.test": mailDomain({ users: ["jörg"], hosts: { mx1: { temper: noEhlo }, mx2: {} } }),
    "none.test": mailDomain({ users: [], temper: noSmtpUtf8, hosts: { mx1: {}, mx2: {} } }),
    "helo.test": mailDomain({ users: ["jörg"], temper: noEhlo }),
  });
  expect(await story.verdictOn("jörg@two.test")).toBe("valid");
  expect(await story.verdictOn("jörg@old.test")).toBe("valid");
  expect(await story.verdictOn("jörg@none.test")).toBe("invalid smtputf8_unsupported");
  expect(await story.verdictOn("jörg@helo.test")).toBe("unknown temporary_error"); // SMTPUTF8 was not decisive
});
