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
} from "@mailvet/lab";
import { expect, test } from "vitest";
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
      "mx.shop.test": { A: ["127.0.9.9", "127.0.1.1"] }, // no listener at the first
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
