/** The replay against the lab: the same replies, sent by real servers, give the same verdicts. */
import { answersWith, type LabDomain, mailDomain } from "@mailvet/lab";
import { expect, test } from "vitest";
import { decide } from "../../src/verdict.ts";
import { CORPUS } from "../corpus/corpus.ts";
import { replay } from "../replay/replay.ts";
import { openStory } from "./story.ts";

const EVERY = 6;
const USER = "anna.lindqvist";

/** What is retried (after 421, at a limit, with HELO after 50x) has its own tests. */
const isPlain = ({ stage, reply, mx, meaning }: (typeof CORPUS)[number]) =>
  mx === undefined &&
  meaning !== "rate_limited" &&
  (stage === "rcpt" ? /^(?!421)[245]\d\d .*$/ : /^(?!421|50)[45]\d\d .*$/).test(reply);

test("a sample of the corpus, sent by servers, gives the verdicts of the replay", async () => {
  const rows = CORPUS.filter(isPlain).filter((_, index) => index % EVERY === 0);
  const domainOf = (index: number) => `row-${index + 1}.test`;
  const domains = rows.map(({ stage, reply }): LabDomain => {
    const temper =
      stage === "rcpt" ? { users: ({ localPart }: { localPart: string }) => localPart === USER } : {};
    return mailDomain({ users: [USER], temper: answersWith({ at: stage, reply, ...temper }) });
  });
  await using story = await openStory(
    Object.fromEntries(domains.map((domain, index) => [domainOf(index), domain])),
    { probeTimeoutMs: 60_000 },
  );
  const verdicts = await Promise.all(
    rows.map(async ({ stage, reply }, index) => {
      const { status, subStatus } = decide(await story.evidenceFor(`${USER}@${domainOf(index)}`));
      return `${stage} ${reply}: ${status} ${subStatus}`;
    }),
  );
  const replayed = rows.map(({ stage, reply }, index) => {
    const mx = `mx.${domainOf(index)}`;
    const { status, subStatus } = replay({ stage, reply, mx, email: `${USER}@${domainOf(index)}` });
    return `${stage} ${reply}: ${status} ${subStatus}`;
  });
  expect(rows.length).toBeGreaterThan(300);
  expect(verdicts).toEqual(replayed);
});
