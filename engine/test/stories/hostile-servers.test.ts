/** Hostile servers: none exceeds the time budget, none is trusted. */
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

describe("invalid replies are not trusted, whatever they say", () => {
  tellStories([
    ["an endless banner", at(endlessBanner), nonsense],
    ["an endless line instead of a banner", at(endlessLine({ at: "banner" })), nonsense],
    ["an endless line in answer to EHLO", at(endlessLine({ at: "ehlo" })), nonsense],
    ["an endless line in answer to RCPT", at(endlessLine({ at: "rcpt" })), nonsense],
    ["a line of 3,000 bytes is accepted", at(hugeLines({ at: "ehlo", lineBytes: 3000 })), asUsual],
    ["a line of a megabyte is not", at(hugeLines({ at: "rcpt", lineBytes: 1 << 20 })), nonsense],
    [
      "nor is a banner of a megabyte",
      at(hugeLines({ at: "banner", lineBytes: 1 << 20, code: 220 })),
      nonsense,
    ],
    ["no reply to QUIT does not matter", at(saysNothing({ at: "quit" })), asUsual],
    ...MOMENTS.map(
      (moment) => [`binary garbage at ${moment}`, at(binaryGarbage({ at: moment })), nonsense] as const,
    ),
    ...HANG_UPS.map((after) => [`hanging up after ${after}`, at(hangsUp({ after })), nonsense] as const),
    // A reset right after the banner may overtake it, and then the connection failed.
    ...HANG_UPS.filter((after) => after !== "banner").map(
      (after) => [`a reset after ${after}`, at(hangsUp({ after, mode: "abruptly" })), nonsense] as const,
    ),
    [
      "two codes in one reply",
      at(answersWith({ at: "rcpt", reply: "250-2.1.5 Ok\n550 5.1.1 User unknown" })),
      nonsense,
    ],
    ["an invalid code", at(answersWith({ at: "rcpt", reply: "999 what a day" })), nonsense],
    ["no code at all", at(answersWith({ at: "rcpt", reply: "Ok, why not" })), nonsense],
  ]);
});

describe("a silent server is waited for until the budget ends", () => {
  tellStories(
    [
      ["a tarpit that sends a byte at a time", at(tarpit({ gapMs: 100 })), silence],
      ...MOMENTS.map((moment) => [`silence at ${moment}`, at(saysNothing({ at: moment })), silence] as const),
    ],
    { probeTimeoutMs: BUDGET_MS },
  );
});

/** Sends an additional reply after every reply to RCPT. */
const talkative: Temperament = {
  on: { rcpt: (session) => ({ reply: `${session.reply("does_not_exist")}\n${session.reply("exists")}` }) },
};
/** Sends two banners, so that every reply would be attributed to the command before. */
const greetsTwice: Temperament = {
  on: { banner: (session) => ({ reply: session.reply("banner"), next: { reply: session.reply("banner") } }) },
};
/** Sends a rejection before the reply to EHLO. */
const refusesUnasked: Temperament = {
  on: { ehlo: () => ({ reply: "250 hello", next: { reply: "550 5.1.1 User unknown" } }) },
};

test.concurrent.each([
  ["an additional reply", talkative],
  ["a second banner", greetsTwice],
  ["an unsolicited rejection", refusesUnasked],
])("%s: no reply is attributed to another command", async (_, temper) => {
  await using story = await openStory({ "shop.test": at(temper) });
  const verdicts = await story.verdictsOn(["ann@shop.test", "bob@shop.test", "eve@shop.test"]);
  expect(new Set(verdicts)).toEqual(new Set(["unknown smtp_protocol_error"]));
});

/** Never replies to some recipients, and goes on. */
const losesReplies: Temperament = {
  replies: { does_not_exist: "550 5.1.1 User unknown" },
  on: { rcpt: ({ address }) => (address.startsWith("mute") ? { silent: true } : undefined) },
};

test.concurrent.each([
  ["of a single mailbox", ["mute"]],
  ["in a list", ["mute", "ann", "eve", "bob", "eve2"]],
])("a lost reply %s: no later reply counts for the recipient before", async (_, names) => {
  const users = ["mute", "ann", "bob"];
  await using story = await openStory(
    { "shop.test": mailDomain({ users, temper: losesReplies }) },
    { probeTimeoutMs: BUDGET_MS },
  );
  const verdicts = await story.verdictsOn(names.map((name) => `${name}@shop.test`));
  for (const [i, verdict] of verdicts.entries()) {
    const isAnswered = names[i] !== "mute" && verdict !== "unknown smtp_timeout";
    const truth = users.includes(names[i]!) ? "valid" : "invalid mailbox_not_found";
    expect(verdict).toBe(isAnswered ? truth : "unknown smtp_timeout");
  }
});

test.concurrent.each([
  ["a tarpit", tarpit({ gapMs: 50 })],
  ["a silent banner", saysNothing({ at: "banner" })],
  ["a silent recipient", saysNothing({ at: "rcpt" })],
  ["an endless banner", endlessBanner],
  ["a reply to QUIT without closing", answersWith({ at: "quit", reply: "250 stay a little" })],
])("%s: a hundred probes end within the budget too", async (_, temper) => {
  await using story = await openStory({ "shop.test": at(temper) }, { probeTimeoutMs: BUDGET_MS });
  const emails = Array.from({ length: 100 }, (_, i) => `anna${i}@shop.test`);
  await story.verdictsOn(emails);
  await story.end();
  // Without any acceptance a session ends after three rejections, before the server may block us.
  expect(story.lab.counts("mx.shop.test").connections).toBeLessThanOrEqual(40);
});
