/** Hosts that begin to refuse everybody at some moment, whatever was sent before: no live mailbox becomes invalid. */
import { mailDomain, noPipelining, type Temper, type Temperament } from "@mailvet/lab";
import { expect, test } from "vitest";
import { manyAt, openStory, type StoryOptions } from "./story.ts";

const isFifthMissing = ({ localPart }: { localPart: string }) =>
  (Number(localPart.slice(4)) * 7919) % 97 >= 20;
const UNKNOWN = { reply: "550 5.1.1 User unknown" };
const banner = (text: string): Temperament => ({ replies: { banner: text } });
const POSTFIX = banner("220 {host} ESMTP Postfix");
const OTHER = banner("220 {host} ESMTP ready");

/** The verdicts on 600 addresses, of which one in five is missing; a live one called invalid throws. */
async function probeSixHundred(temper: Temper, options?: StoryOptions) {
  await using story = await openStory(
    { "shop.test": mailDomain({ users: isFifthMissing, temper }) },
    options,
  );
  const verdicts = await story.verdictsOn(manyAt("shop.test", 600));
  await story.end();
  const { connections } = story.lab.counts("mx.shop.test");
  return { connections, decided: verdicts.filter((verdict) => !verdict.startsWith("unknown")).length };
}

test.concurrent.each([
  ["Postfix", POSTFIX, {}],
  ["another server", OTHER, {}],
  ["a server without pipelining", [OTHER, noPipelining], {}],
  ["four sessions at once", OTHER, { connectionsPerHost: 4 }],
])("from the sixth session on: %s", async (_, manner: Temper, options: StoryOptions) => {
  const usual = await probeSixHundred(manner, options);
  expect(usual.decided).toBe(600);
  const refusing: Temperament = { on: { rcpt: ({ number }) => (number >= 6 ? UNKNOWN : undefined) } };
  const { connections, decided } = await probeSixHundred([manner, refusing], options);
  expect(decided).toBeGreaterThan(0);
  expect(connections).toBeLessThanOrEqual(usual.connections + 6); // the sessions that show it
});

test.concurrent.each([95, 99, 150, 203, 377])(
  "from recipient %d on, in the middle of a session",
  async (turn) => {
    for (const manner of [POSTFIX, OTHER]) {
      let recipients = 0;
      const refusing: Temperament = { on: { rcpt: () => (++recipients > turn ? UNKNOWN : undefined) } };
      const { connections } = await probeSixHundred([manner, refusing]);
      expect(connections).toBeLessThanOrEqual(30);
    }
  },
);

test.concurrent("in two single sessions: every probe is answered in the end", async () => {
  const refusing: Temperament = {
    on: { rcpt: ({ number }) => (number === 4 || number === 6 ? UNKNOWN : undefined) },
  };
  const { connections, decided } = await probeSixHundred([OTHER, refusing]);
  expect(decided).toBe(600);
  expect(connections).toBeLessThanOrEqual(36);
});
