/** Hosts that begin to refuse all recipients at some moment, whatever was sent before: no live mailbox becomes invalid. */
import { mailDomain, noPipelining, type Temper, type Temperament } from "@mailvet/lab";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { manyAt, NO_VIOLATIONS, openStory, type Story, type StoryOptions, violationsAt } from "./story.ts";

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

test.concurrent.each(["postmaster", "abuse"])(
  "after %s@ was accepted, which hosts accept whatever they refuse",
  async (exempt) => {
    let isRefusing = false;
    const refusing: Temperament = {
      on: {
        rcpt({ address }) {
          if (address !== `${exempt}@shop.test`) return isRefusing ? UNKNOWN : undefined;
          isRefusing = true;
          return undefined;
        },
      },
    };
    const users = ({ localPart }: { localPart: string }) =>
      localPart === exempt || isFifthMissing({ localPart });
    await using story = await openStory({ "shop.test": mailDomain({ users, temper: [OTHER, refusing] }) });
    const emails = manyAt("shop.test", 200);
    // A live one called invalid throws.
    const verdicts = await story.verdictsOn([
      ...emails.slice(0, 100),
      `${exempt}@shop.test`,
      ...emails.slice(100),
    ]);
    expect(verdicts.filter((verdict) => verdict === "valid").length).toBeGreaterThan(0);
  },
);

/** From the last address of the list on, every recipient is refused, also in later sessions. */
function refusesFrom(last: string): Temperament {
  let isRefusing = false;
  return {
    on: {
      rcpt({ address }) {
        isRefusing ||= address === last;
        return isRefusing ? UNKNOWN : undefined;
      },
    },
  };
}

const users = ({ localPart }: { localPart: string }) => localPart.startsWith("anna");

test.concurrent.each([
  ["a first list of four", 0, 4],
  ["a first list of twelve", 0, 12],
  ["a list of five at a known host", 3, 5],
])("just before the last recipient: %s", async (_, before, count) => {
  const emails = manyAt("shop.test", before + count);
  const temper = [OTHER, refusesFrom(emails.at(-1)!)];
  await using story = await openStory({ "shop.test": mailDomain({ users, temper }) });
  if (before > 0) await story.verdictsOn(emails.slice(0, before));
  const verdicts = await story.verdictsOn(emails.slice(before)); // a live one called invalid throws
  for (const verdict of verdicts) expect(verdict).toMatch(/^(?:valid$|unknown)/);
  expect(verdicts.at(-1)).toMatch(/^unknown/);
});

test.concurrent("showing that costs two or three recipients at the end of a list, and no round trip", async () => {
  const emails = [...manyAt("shop.test", 11), "eve@shop.test"];
  await using story = await openStory({ "shop.test": mailDomain({ users, temper: OTHER }) });
  expect((await story.verdictsOn(emails)).at(-1)).toBe("invalid mailbox_not_found");
  await story.end();
  expect(await violationsAt(story, "mx.shop.test")).toEqual(NO_VIOLATIONS);
  const received = story.lab.received("mx.shop.test");
  const end = received.slice(received.indexOf("RCPT TO:<eve@shop.test>") + 1);
  const known = expect.stringMatching(/^RCPT TO:<anna\d+@shop.test>$/);
  const madeUp = expect.stringMatching(/^RCPT TO:<[a-z]+\.[a-z]+@shop.test>$/);
  expect(end.slice(0, 2)).toEqual([known, madeUp]);
  expect(end.slice(2).filter((line) => line.startsWith("RCPT")).length).toBeLessThanOrEqual(1);
  const { commands, earlyCommands } = story.lab.counts("mx.shop.test");
  expect(earlyCommands).toBeGreaterThanOrEqual(commands.RCPT! - 2); // each but the first of a batch arrives with others
});

const NO_IDLE_SESSIONS: StoryOptions = { idleSessionMs: 0 };

/** The next check is the first of its session. */
const sessionEnd = ({ lab }: Story) => until(() => lab.received("mx.shop.test").at(-1) === "QUIT");

test.concurrent.each([
  ["alone", ["anna1@shop.test"]],
  ["with one that was missing before", ["eve@shop.test", "anna1@shop.test"]],
  ["at the end of a list of missing ones", [...manyAt("shop.test", 3).slice(1), "anna1@shop.test"]],
])("the only known mailbox has been deleted and is asked for again: %s", async (_, emails) => {
  let isDeleted = false;
  const isUser = ({ localPart }: { localPart: string }) => localPart === "anna1" && !isDeleted;
  await using story = await openStory({ "shop.test": mailDomain({ users: isUser }) }, NO_IDLE_SESSIONS);
  expect(await story.verdictOn("anna1@shop.test")).toBe("valid");
  await sessionEnd(story);
  isDeleted = true;
  expect(new Set(await story.verdictsOn(emails))).toEqual(new Set(["invalid mailbox_not_found"]));
});

test.concurrent("the last known mailbox is asked for again, and another known one is refused too", async () => {
  let isRefusing = false;
  const refusing: Temperament = { on: { rcpt: () => (isRefusing ? UNKNOWN : undefined) } };
  await using story = await openStory(
    { "shop.test": mailDomain({ users, temper: [OTHER, refusing] }) },
    NO_IDLE_SESSIONS,
  );
  expect(await story.verdictOn("anna1@shop.test")).toBe("valid");
  expect(await story.verdictOn("anna2@shop.test")).toBe("valid");
  await sessionEnd(story);
  isRefusing = true;
  expect(await story.verdictOn("anna2@shop.test")).toMatch(/^unknown/); // a live one called invalid throws
});
