/** Stories of servers nobody should have to bear: none holds us past our budget, none is believed. */
import {
  answersWith,
  binaryGarbage,
  endlessBanner,
  endlessLine,
  hangsUp,
  hugeLines,
  mailDomain,
  type SmtpStage,
  saysNothing,
  type Temper,
  type Temperament,
  tarpit,
} from "@mailvet/lab";
import { describe, expect, test } from "vitest";
import { openStory, tellStories } from "./story.ts";

const BUDGET_MS = 500;
const at = (temper: Temper) => mailDomain({ users: ["ann"], temper });
const nonsense = { ann: "unknown smtp_protocol_error", eve: "unknown smtp_protocol_error" };
const silence = { ann: "unknown smtp_timeout", eve: "unknown smtp_timeout" };
const asUsual = { ann: "valid", eve: "invalid mailbox_not_found" };

const HANG_UPS = ["connect", "banner", "ehlo", "mail"] as const;
const MOMENTS = ["banner", "ehlo", "mail", "rcpt"] as const satisfies SmtpStage[];

describe("nonsense is not believed, whatever it sounds like", () => {
  tellStories([
    ["an endless banner", at(endlessBanner), nonsense],
    ["an endless line instead of a banner", at(endlessLine({ at: "banner" })), nonsense],
    ["an endless line in answer to EHLO", at(endlessLine({ at: "ehlo" })), nonsense],
    ["an endless line in answer to RCPT", at(endlessLine({ at: "rcpt" })), nonsense],
    ["a line of 3,000 bytes is long, and an answer", at(hugeLines({ at: "ehlo", lineBytes: 3000 })), asUsual],
    ["a line of a megabyte is none", at(hugeLines({ at: "rcpt", lineBytes: 1 << 20 })), nonsense],
    [
      "a banner of a megabyte neither",
      at(hugeLines({ at: "banner", lineBytes: 1 << 20, code: 220 })),
      nonsense,
    ],
    ["silence in answer to QUIT comes too late to matter", at(saysNothing({ at: "quit" })), asUsual],
    ...MOMENTS.map(
      (moment) => [`binary garbage at ${moment}`, at(binaryGarbage({ at: moment })), nonsense] as const,
    ),
    ...HANG_UPS.map((after) => [`hanging up after ${after}`, at(hangsUp({ after })), nonsense] as const),
    // A reset right after the banner may overtake it, and then nobody was there at all.
    ...HANG_UPS.filter((after) => after !== "banner").map(
      (after) => [`a reset after ${after}`, at(hangsUp({ after, mode: "abruptly" })), nonsense] as const,
    ),
    [
      "two codes in one reply",
      at(answersWith({ at: "rcpt", reply: "250-2.1.5 Ok\n550 5.1.1 User unknown" })),
      nonsense,
    ],
    ["a code that is none", at(answersWith({ at: "rcpt", reply: "999 what a day" })), nonsense],
    ["no code at all", at(answersWith({ at: "rcpt", reply: "Ok, why not" })), nonsense],
  ]);
});

describe("silence is waited for as long as the budget says", () => {
  tellStories(
    [
      ["a tarpit that drips a byte at a time", at(tarpit({ gapMs: 100 })), silence],
      ...MOMENTS.map((moment) => [`silence at ${moment}`, at(saysNothing({ at: moment })), silence] as const),
    ],
    { probeTimeoutMs: BUDGET_MS },
  );
});

/** Says something more after every reply to RCPT. */
const talkative: Temperament = {
  on: { rcpt: (session) => ({ reply: `${session.reply("does_not_exist")}\n${session.reply("exists")}` }) },
};
/** Greets twice, so that every answer would be taken for that to the question before. */
const greetsTwice: Temperament = {
  on: { banner: (session) => ({ reply: session.reply("banner"), next: { reply: session.reply("banner") } }) },
};
/** Sends a refusal ahead of the answer to EHLO. */
const refusesUnasked: Temperament = {
  on: { ehlo: () => ({ reply: "250 hello", next: { reply: "550 5.1.1 User unknown" } }) },
};

test.concurrent.each([
  ["a reply in the middle of replies", talkative],
  ["a second banner", greetsTwice],
  ["a refusal that nobody asked for", refusesUnasked],
])("%s shifts no answer onto somebody else", async (_, temper) => {
  await using story = await openStory({ "shop.test": at(temper) });
  const verdicts = await story.verdictsOn(["ann@shop.test", "bob@shop.test", "eve@shop.test"]);
  expect(new Set(verdicts)).toEqual(new Set(["unknown smtp_protocol_error"]));
});

test.concurrent.each([
  ["a tarpit", tarpit({ gapMs: 50 })],
  ["a silent banner", saysNothing({ at: "banner" })],
  ["a silent recipient", saysNothing({ at: "rcpt" })],
  ["an endless banner", endlessBanner],
  ["a goodbye without an end", answersWith({ at: "quit", reply: "250 stay a little" })],
])("%s has our time for as long as the budget says, for a hundred questions too", async (_, temper) => {
  await using story = await openStory({ "shop.test": at(temper) }, { probeTimeoutMs: BUDGET_MS });
  const emails = Array.from({ length: 100 }, (_, i) => `anna${i}@shop.test`);
  await story.verdictsOn(emails);
  await story.end();
  // Where nobody is accepted, a session ends after three refusals, before the server may turn on us.
  expect(story.lab.counts("mx.shop.test").connections).toBeLessThanOrEqual(40);
});
