/** Retries without the feature that a server does not support. */
import {
  acceptsEveryone,
  answersWith,
  failsTemporarily,
  greylists,
  hangsUp,
  mailDomain,
  noEhlo,
  offersTls,
  type Temper,
  type Temperament,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { NO_VIOLATIONS, openStory, tellStories, violationsAt } from "./story.ts";

const at = (temper: Temper) => mailDomain({ users: ["ann"], temper });
const asUsual = { ann: "valid", eve: "invalid mailbox_not_found" };

const hangsUpOnEhlo: Temperament = { on: { ehlo: () => ({ close: "politely" }) } };
const complainsOfEhloAndLeaves: Temperament = {
  on: { ehlo: () => ({ reply: "502 5.5.1 Command not implemented", close: "politely" }) },
};
const hangsUpOnStartTls: Temperament = {
  tls: "self_signed",
  on: { starttls: () => ({ close: "politely" }) },
};
/** The handshake succeeds, then the connection closes. */
const hangsUpInsideTls: Temperament = {
  on: { ehlo: ({ secure }) => (secure ? { close: "politely" } : undefined) },
};

tellStories([
  ["a server that closes on EHLO gets HELO", at(hangsUpOnEhlo), asUsual],
  ["so does one that rejects EHLO and closes", at(complainsOfEhloAndLeaves), asUsual],
  [
    "a refused domain is as certain after HELO",
    at([noEhlo, answersWith({ at: "rcpt", reply: "550 relay not permitted" })]),
    { eve: "invalid domain_not_accepted" },
  ],
  ["a server that closes on STARTTLS is probed in plain text", at(hangsUpOnStartTls), asUsual],
  ["so is one that closes after the handshake", at([hangsUpInsideTls, offersTls()]), asUsual],
  [
    "one that closes on EHLO and HELO gives a protocol error",
    at(hangsUp({ after: "banner" })),
    { ann: "unknown smtp_protocol_error" },
  ],
]);

test.concurrent.each([
  ["HELO", hangsUpOnEhlo, "EHLO"],
  ["plain text", hangsUpOnStartTls, "STARTTLS"],
] as const)("that a host needs %s is learned once", async (_, temper, unbearable) => {
  await using story = await openStory({ "shop.test": at(temper) });
  expect(await story.verdictOn("ann@shop.test")).toBe("valid");
  expect(await story.verdictOn("eve@shop.test")).toBe("invalid mailbox_not_found");
  await story.end();

  const { connections, commands } = story.lab.counts("mx.shop.test");
  expect(commands[unbearable]).toBe(1);
  expect(connections).toBeLessThanOrEqual(3); // the one that broke off, and at most one for each check
  const violations = await violationsAt(story, "mx.shop.test");
  expect(violations).toEqual({ ...NO_VIOLATIONS, leftWithoutQuit: 1 }); // no connection was left for QUIT
});

const isAnn = ({ localPart }: { localPart: string }) => localPart === "ann";
const twoHosts = (first: Temper, second: Temper = []) =>
  mailDomain({ users: ["ann"], hosts: { mx1: { temper: first }, mx2: { temper: second } } });

tellStories([
  [
    "after a temporary error of the first host, the second is tried",
    twoHosts(failsTemporarily({ at: "rcpt" })),
    asUsual,
  ],
  ["also where the first greylists", twoHosts(greylists({ delayMs: 3_600_000 })), asUsual],
  [
    "after temporary errors of both, the first one counts",
    twoHosts(greylists({ delayMs: 3_600_000 }), failsTemporarily({ at: "rcpt" })),
    { ann: "unknown greylisted", eve: "unknown greylisted" },
  ],
  [
    "a second host that accepts every recipient proves nothing after a temporary error of the first",
    twoHosts(failsTemporarily({ at: "rcpt" }), acceptsEveryone),
    { ann: "unknown temporary_error", eve: "unknown temporary_error" },
  ],
  [
    "also where the first one rejects the decoy",
    twoHosts(
      answersWith({ at: "rcpt", reply: "451 4.3.0 Temporary lookup failure", users: isAnn }),
      acceptsEveryone,
    ),
    { ann: "unknown temporary_error", eve: "invalid mailbox_not_found" },
  ],
  [
    "a second host that does not serve the domain says nothing about the mailbox",
    twoHosts(
      failsTemporarily({ at: "rcpt" }),
      answersWith({ at: "rcpt", reply: "550 5.7.1 Relay access denied" }),
    ),
    { ann: "unknown temporary_error" },
  ],
  [
    "after mailbox_full no second host is tried",
    twoHosts(answersWith({ at: "rcpt", reply: "452 4.2.2 Mailbox full", users: isAnn })),
    { ann: "risky mailbox_full" },
  ],
]);

test.concurrent("one further host is tried, and no third", async () => {
  const temper = failsTemporarily({ at: "rcpt" });
  await using story = await openStory({
    "shop.test": mailDomain({ users: ["ann"], temper, hosts: { mx1: {}, mx2: {}, mx3: {} } }),
  });
  expect(await story.verdictOn("ann@shop.test")).toBe("unknown temporary_error");
  await story.end();
  const connections = ["mx1", "mx2", "mx3"].map((name) => story.lab.counts(`${name}.shop.test`).connections);
  expect(connections).toEqual([1, 1, 0]);
});
