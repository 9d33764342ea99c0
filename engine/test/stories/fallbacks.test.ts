/** Retries: a feature that a server fails at is left out, and a host that defers is followed by the next. */
import {
  acceptsEveryone,
  answersWith,
  failsForNow,
  greylists,
  hangsUp,
  mailDomain,
  offersTls,
  type Temper,
  type Temperament,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { NO_VIOLATIONS, openStory, tellStories, violationsAt } from "./story.ts";

const at = (temper: Temper) => mailDomain({ users: ["ann"], temper });
const asUsual = { ann: "valid", eve: "invalid mailbox_not_found" };

const closesAtEhlo: Temperament = { on: { ehlo: () => ({ close: "politely" }) } };
const rejectsEhloAndCloses: Temperament = {
  on: { ehlo: () => ({ reply: "502 5.5.1 Command not implemented", close: "politely" }) },
};
const closesAtStartTls: Temperament = {
  tls: "self_signed",
  on: { starttls: () => ({ close: "politely" }) },
};
/** The handshake succeeds, and the connection closes after it. */
const closesInsideTls: Temperament = {
  on: { ehlo: ({ secure }) => (secure ? { close: "politely" } : undefined) },
};

tellStories([
  ["a server that closes at EHLO gets HELO", at(closesAtEhlo), asUsual],
  ["so does one that rejects EHLO and closes", at(rejectsEhloAndCloses), asUsual],
  ["a server that closes at STARTTLS is probed in plain text", at(closesAtStartTls), asUsual],
  ["so is one that closes after the handshake", at([closesInsideTls, offersTls()]), asUsual],
  [
    "one that closes at EHLO and HELO gives no answer",
    at(hangsUp({ after: "banner" })),
    { ann: "unknown smtp_protocol_error" },
  ],
]);

test.concurrent.each([
  ["HELO", closesAtEhlo, "EHLO"],
  ["plain text", closesAtStartTls, "STARTTLS"],
] as const)("that a host needs %s is learned once", async (_, temper, unsupported) => {
  await using story = await openStory({ "shop.test": at(temper) });
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  expect(await story.verdictOn("eve@shop.test")).toBe("invalid mailbox_not_found");
  await story.end();

  const { connections, commands } = story.lab.counts("mx.shop.test");
  expect(commands[unsupported]).toBe(1);
  expect(connections).toBeLessThanOrEqual(3); // the one that was closed, and at most one per check
  const rudeness = await violationsAt(story, "mx.shop.test");
  expect(rudeness).toEqual({ ...NO_VIOLATIONS, leftWithoutQuit: 1 }); // the server had closed the connection
});

const isAnn = ({ localPart }: { localPart: string }) => localPart === "ann";
const twoHosts = (first: Temper, second: Temper = []) =>
  mailDomain({ users: ["ann"], hosts: { mx1: { temper: first }, mx2: { temper: second } } });

tellStories([
  [
    "after a temporary failure of the first host the second is tried",
    twoHosts(failsForNow({ at: "rcpt" })),
    asUsual,
  ],
  ["also where the first greylists", twoHosts(greylists({ delayMs: 3_600_000 })), asUsual],
  [
    "where both defer, the reply of the first stands",
    twoHosts(greylists({ delayMs: 3_600_000 }), failsForNow({ at: "rcpt" })),
    { ann: "unknown greylisted", eve: "unknown greylisted" },
  ],
  [
    "a second host that accepts everything proves nothing where the first deferred",
    twoHosts(failsForNow({ at: "rcpt" }), acceptsEveryone),
    { ann: "unknown temporary_error", eve: "unknown temporary_error" },
  ],
  [
    "also where the first host refuses decoys",
    twoHosts(
      answersWith({ at: "rcpt", reply: "451 4.3.0 Temporary lookup failure", users: isAnn }),
      acceptsEveryone,
    ),
    { ann: "unknown temporary_error", eve: "invalid mailbox_not_found" },
  ],
  [
    "a second host that does not serve the domain proves nothing about the mailbox",
    twoHosts(
      failsForNow({ at: "rcpt" }),
      answersWith({ at: "rcpt", reply: "550 5.7.1 Relay access denied" }),
    ),
    { ann: "unknown temporary_error" },
  ],
  [
    "a full mailbox needs no second host",
    twoHosts(answersWith({ at: "rcpt", reply: "452 4.2.2 Mailbox full", users: isAnn })),
    { ann: "risky mailbox_full" },
  ],
]);

test.concurrent("one further host is tried, and no third", async () => {
  const temper = failsForNow({ at: "rcpt" });
  await using story = await openStory({
    "shop.test": mailDomain({ users: ["ann"], temper, hosts: { mx1: {}, mx2: {}, mx3: {} } }),
  });
  expect(await story.verdictOn("ann@shop.test")).toBe("unknown temporary_error");
  await story.end();
  const connections = ["mx1", "mx2", "mx3"].map((name) => story.lab.counts(`${name}.shop.test`).connections);
  expect(connections).toEqual([1, 1, 0]);
});
