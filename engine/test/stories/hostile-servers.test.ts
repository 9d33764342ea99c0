/** Hostile servers: none exceeds the timeout, and none is believed. */
import {
  answersWith,
  binaryGarbage,
  endlessBanner,
  endlessLine,
  hangsUp,
  hugeLines,
  mailDomain,
  type Stage,
  saysNothing,
  type Temper,
  type Temperament,
  tarpit,
} from "@mailvet/lab";
import { describe, expect, test } from "vitest";
import { openStory, tellStories } from "./story.ts";

const BUDGET_MS = 500;
const at = (temper: Temper) => mailDomain({ users: ["ann"], temper });
const malformed = { ann: "unknown smtp_protocol_error", eve: "unknown smtp_protocol_error" };
const silence = { ann: "unknown smtp_timeout", eve: "unknown smtp_timeout" };
const asUsual = { ann: "valid", eve: "invalid mailbox_not_found" };

const HANG_UPS = ["connect", "banner", "ehlo", "mail"] as const;
const MOMENTS = ["banner", "ehlo", "mail", "rcpt"] as const satisfies Stage[];

describe("malformed replies end in smtp_protocol_error", () => {
  tellStories([
    ["an endless banner", at(endlessBanner), malformed],
    ["an endless line instead of a banner", at(endlessLine({ at: "banner" })), malformed],
    ["an endless reply to EHLO", at(endlessLine({ at: "ehlo" })), malformed],
    ["an endless reply to RCPT", at(endlessLine({ at: "rcpt" })), malformed],
    ["a line of 3,000 bytes is accepted", at(hugeLines({ at: "ehlo", lineBytes: 3000 })), asUsual],
    ["a line of a megabyte is not", at(hugeLines({ at: "rcpt", lineBytes: 1 << 20 })), malformed],
    [
      "nor is a banner of a megabyte",
      at(hugeLines({ at: "banner", lineBytes: 1 << 20, code: 220 })),
      malformed,
    ],
    ["silence after QUIT changes nothing", at(saysNothing({ at: "quit" })), asUsual],
    ...MOMENTS.map(
      (moment) => [`binary garbage at ${moment}`, at(binaryGarbage({ at: moment })), malformed] as const,
    ),
    ...HANG_UPS.map(
      (after) => [`connection closed after ${after}`, at(hangsUp({ after })), malformed] as const,
    ),
    // A reset right after the banner may overtake it, and then the host counts as unreachable.
    ...HANG_UPS.filter((after) => after !== "banner").map(
      (after) => [`a reset after ${after}`, at(hangsUp({ after, manner: "abruptly" })), malformed] as const,
    ),
    [
      "two codes in one reply",
      at(answersWith({ at: "rcpt", reply: "250-2.1.5 Ok\n550 5.1.1 User unknown" })),
      malformed,
    ],
    ["an invalid code", at(answersWith({ at: "rcpt", reply: "999 what a day" })), malformed],
    ["no code at all", at(answersWith({ at: "rcpt", reply: "Ok, why not" })), malformed],
  ]);
});

describe("silence ends in smtp_timeout", () => {
  tellStories(
    [
      ["a tarpit that drips a byte at a time", at(tarpit({ gapMs: 100 })), silence],
      ...MOMENTS.map((moment) => [`silence at ${moment}`, at(saysNothing({ at: moment })), silence] as const),
    ],
    { probeTimeoutMs: BUDGET_MS },
  );
});

/** Sends an extra reply after every reply to RCPT. */
const sendsExtraReply: Temperament = {
  on: { rcpt: (visit) => ({ reply: `${visit.say("does_not_exist")}\n${visit.say("exists")}` }) },
};
/** Sends two banners, so that every reply would be attributed to the previous command. */
const sendsTwoBanners: Temperament = {
  on: { banner: (visit) => ({ reply: visit.say("banner"), next: { reply: visit.say("banner") } }) },
};
/** Sends a refusal after the reply to EHLO. */
const sendsUnsolicitedRefusal: Temperament = {
  on: { ehlo: () => ({ reply: "250 hello", next: { reply: "550 5.1.1 User unknown" } }) },
};

test.concurrent.each([
  ["an extra reply between replies", sendsExtraReply],
  ["a second banner", sendsTwoBanners],
  ["an unsolicited refusal", sendsUnsolicitedRefusal],
])("%s attributes no reply to another recipient", async (_, temper) => {
  await using story = await openStory({ "shop.test": at(temper) });
  const verdicts = await story.verdictsOn(["ann@shop.test", "bob@shop.test", "eve@shop.test"]);
  expect(new Set(verdicts)).toEqual(new Set(["unknown smtp_protocol_error"]));
});

test.concurrent.each([
  ["a tarpit", tarpit({ gapMs: 50 })],
  ["a silent banner", saysNothing({ at: "banner" })],
  ["a silent recipient", saysNothing({ at: "rcpt" })],
  ["an endless banner", endlessBanner],
  ["endless replies to QUIT", answersWith({ at: "quit", reply: "250 stay a little" })],
])("%s is bounded by the timeout, also with a hundred requests", async (_, temper) => {
  await using story = await openStory({ "shop.test": at(temper) }, { probeTimeoutMs: BUDGET_MS });
  const emails = Array.from({ length: 100 }, (_, i) => `anna${i}@shop.test`);
  await story.verdictsOn(emails);
  await story.end();
  // Where nothing is accepted, a session ends after three refusals, before the server may refuse everything.
  expect(story.lab.counts("mx.shop.test").connections).toBeLessThanOrEqual(40);
});
