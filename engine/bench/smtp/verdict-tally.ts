/**
 * Counts right verdicts by one rule for every checker: each checker's own word becomes one of three answers, which is
 * compared with what the lab knows.
 */
export type Answer = "deliverable" | "undeliverable" | "uncertain";

/** The words of Mailvet (status), AfterShip's email-verifier (reachable) and Reacher (is_reachable). */
const ANSWERS: Readonly<Record<string, Answer>> = {
  valid: "deliverable",
  yes: "deliverable",
  safe: "deliverable",
  invalid: "undeliverable",
  no: "undeliverable",
  risky: "uncertain",
  unknown: "uncertain",
};

export type VerdictTally = {
  addresses: number;
  right: number;
  /** A mailbox that accepts mail, or may accept it, was reported as undeliverable. */
  liveCalledDead: number;
  /** A mailbox that does not exist was reported as deliverable. */
  deadCalledLive: number;
  /** Addresses of the list without a verdict. */
  unanswered: number;
  /** The first few wrong verdicts, for the reader. */
  wrong: string[];
};

const MAX_SHOWN = 5;

/** `words` has the checker's word per address. At a catch-all domain, only `uncertain` is right. */
export function tallyVerdicts(
  list: readonly { email: string; answer: Answer }[],
  words: ReadonlyMap<string, string>,
): VerdictTally {
  const tally: VerdictTally = {
    addresses: list.length,
    right: 0,
    liveCalledDead: 0,
    deadCalledLive: 0,
    unanswered: 0,
    wrong: [],
  };
  for (const { email, answer } of list) {
    const word = words.get(email);
    const given = word === undefined ? undefined : answerOf(word);
    if (given === answer) {
      tally.right++;
      continue;
    }
    if (given === undefined) tally.unanswered++;
    else if (given === "undeliverable") tally.liveCalledDead++;
    else if (given === "deliverable" && answer === "undeliverable") tally.deadCalledLive++;
    if (tally.wrong.length < MAX_SHOWN) tally.wrong.push(`${email}: ${word ?? "no verdict"}, not ${answer}`);
  }
  return tally;
}

function answerOf(word: string): Answer {
  const answer = ANSWERS[word];
  if (answer === undefined) throw new Error(`A checker reported "${word}", which has no meaning here`);
  return answer;
}
