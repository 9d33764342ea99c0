/** Stories of second tries: what a server could not bear is left out, and the answer is found after all. */
import {
  acceptsEveryone,
  answersWith,
  failsTemporarily,
  greylists,
  hangsUp,
  mailDomain,
  offersTls,
  type Temper,
  type Temperament,
} from "@mailvet/lab";
import { expect, test } from "vitest";
import { NO_RUDENESS, openStory, rudenessAt, tellStories } from "./story.ts";

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
/** The handshake goes well, and nothing after it. */
const hangsUpInsideTls: Temperament = {
  on: { ehlo: ({ secure }) => (secure ? { close: "politely" } : undefined) },
};

tellStories([
  ["a server that hangs up on EHLO is greeted with HELO", at(hangsUpOnEhlo), asUsual],
  ["so is one that does not know EHLO and leaves", at(complainsOfEhloAndLeaves), asUsual],
  ["a server that hangs up on STARTTLS is asked in the clear", at(hangsUpOnStartTls), asUsual],
  ["so is one that hangs up once it is encrypted", at([hangsUpInsideTls, offersTls()]), asUsual],
  [
    "one that hangs up whatever it is greeted with has said nothing",
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
  expect(connections).toBeLessThanOrEqual(3); // the one that broke off, and one for each check at the most
  const rudeness = await rudenessAt(story, "mx.shop.test");
  expect(rudeness).toEqual({ ...NO_RUDENESS, leftWithoutQuit: 1 }); // nobody was left to say goodbye to
});

const isAnn = ({ localPart }: { localPart: string }) => localPart === "ann";
const twoHosts = (first: Temper, second: Temper = []) =>
  mailDomain({ users: ["ann"], hosts: { mx1: { temper: first }, mx2: { temper: second } } });

tellStories([
  ["put off by the first host, the second is asked", twoHosts(failsTemporarily({ at: "rcpt" })), asUsual],
  ["also where the first greylists", twoHosts(greylists({ delayMs: 3_600_000 })), asUsual],
  [
    "where both put us off, the first one's word stands",
    twoHosts(greylists({ delayMs: 3_600_000 }), failsTemporarily({ at: "rcpt" })),
    { ann: "unknown greylisted", eve: "unknown greylisted" },
  ],
  [
    "a second host that takes anyone proves nothing where the first put us off",
    twoHosts(failsTemporarily({ at: "rcpt" }), acceptsEveryone),
    { ann: "unknown temporary_error", eve: "unknown temporary_error" },
  ],
  [
    "also where the first one knows that made-up names do not exist",
    twoHosts(
      answersWith({ at: "rcpt", reply: "451 4.3.0 Temporary lookup failure", users: isAnn }),
      acceptsEveryone,
    ),
    { ann: "unknown temporary_error", eve: "invalid mailbox_not_found" },
  ],
  [
    "a second host that does not serve the domain says nothing of the mailbox",
    twoHosts(
      failsTemporarily({ at: "rcpt" }),
      answersWith({ at: "rcpt", reply: "550 5.7.1 Relay access denied" }),
    ),
    { ann: "unknown temporary_error" },
  ],
  [
    "a full mailbox needs no second opinion",
    twoHosts(answersWith({ at: "rcpt", reply: "452 4.2.2 Mailbox full", users: isAnn })),
    { ann: "risky mailbox_full" },
  ],
]);

test.concurrent("one further host is asked, and no third", async () => {
  const temper = failsTemporarily({ at: "rcpt" });
  await using story = await openStory({
    "shop.test": mailDomain({ users: ["ann"], temper, hosts: { mx1: {}, mx2: {}, mx3: {} } }),
  });
  expect(await story.verdictOn("ann@shop.test")).toBe("unknown temporary_error");
  await story.end();
  const connections = ["mx1", "mx2", "mx3"].map((name) => story.lab.counts(`${name}.shop.test`).connections);
  expect(connections).toEqual([1, 1, 0]);
});
