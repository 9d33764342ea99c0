/**
 * The answer to a question about an address: a verdict that is known already, or what asking around brings in time.
 *
 * Known already is what the sandbox plays, what the text alone settles, and what the account's memory still holds.
 */
import { decide, type Evidence, type Verdict } from "@mailvet/engine";
import type { Caller } from "../caller.ts";
import { type CheckDeps, createChecksUnderWay, type Manner } from "./checks-under-way.ts";
import { freshForMs } from "./freshness.ts";
import { readWith } from "./kept-evidence.ts";
import { createSandbox, isInSandbox } from "./sandbox.ts";
import { inSlices } from "./slices.ts";
import type { Remembered, VerdictMemory } from "./verdict-memory.ts";

export type Answer = {
  evidence: Evidence;
  /** What the evidence adds up to. */
  verdict: Verdict;
  /** When the evidence was gathered. */
  checkedAtMs: number;
  isCached: boolean;
  isSandbox: boolean;
};

export type Answers = {
  /** A first look at the text, without asking anyone. */
  glance(email: string): Evidence;
  /** The answer, if there is one without asking. */
  known(caller: Caller, glance: Evidence): Promise<Answer | undefined> | Answer;
  /** The same for many, in their order. */
  knownAmong(caller: Caller, glances: readonly Evidence[]): Promise<(Answer | undefined)[]>;
  /** The answers to those that are not known. */
  ask(caller: Caller, glances: readonly Evidence[], manner: Manner): Promise<Answer[]>;
  /** From now on nobody waits longer than this. */
  wrapUp(withinMs: number): void;
};

export type AnswerDeps = CheckDeps & { memory: Pick<VerdictMemory, "atHand" | "recall"> };

export function createAnswers(deps: AnswerDeps): Answers {
  const { verifier, memory } = deps;
  const sandbox = createSandbox();
  const checks = createChecksUnderWay(deps);

  /** Without asking even the database. */
  const atHand = (caller: Caller, glance: Evidence): Promise<Answer> | Answer | undefined => {
    if (isInSandbox(caller, glance)) return sandbox.play(caller.accountId, glance).then(played);
    if (isSettledByText(glance)) return justNow(glance);
    return glance.address && fromMemory(glance, memory.atHand(caller.accountId, glance.address.normalized));
  };

  const recall = async (accountId: string, glances: readonly Evidence[]): Promise<(Answer | undefined)[]> => {
    const remembered = await memory.recall(accountId, glances.flatMap(normalizedOf));
    return inSlices(
      glances,
      (glance) => glance.address && fromMemory(glance, remembered.get(glance.address.normalized)),
    );
  };

  return {
    glance: (email) => verifier.begin(email, "syntax").evidence,
    known: (caller, glance) =>
      atHand(caller, glance) ?? recall(caller.accountId, [glance]).then(([answer]) => answer),
    async knownAmong(caller, glances) {
      const answers = await Promise.all(await inSlices(glances, (glance) => atHand(caller, glance)));
      const open = glances.filter((_, index) => answers[index] === undefined);
      if (open.length === 0) return answers;
      const recalled = (await recall(caller.accountId, open)).values();
      return answers.map((answer) => answer ?? recalled.next().value);
    },
    async ask({ accountId }, glances, manner) {
      const found = await checks.ask(accountId, glances, manner);
      return found.map(({ evidence, checkedAtMs }) => ({ ...justNow(evidence), checkedAtMs }));
    },
    wrapUp: checks.wrapUp,
  };
}

/** Nothing that anyone could say would change it. */
function isSettledByText({ complaint, specialUse, providerComplaint }: Evidence): boolean {
  return complaint !== undefined || specialUse !== undefined || providerComplaint !== undefined;
}

function justNow(evidence: Evidence): Answer {
  const verdict = decide(evidence);
  return { evidence, verdict, checkedAtMs: Date.now(), isCached: false, isSandbox: false };
}

function played(evidence: Evidence): Answer {
  return { ...justNow(evidence), isSandbox: true };
}

/** Undefined when it is no longer fresh, by the rules of today and what the text says now. */
function fromMemory(glance: Evidence, remembered: Remembered | undefined): Answer | undefined {
  if (!remembered) return undefined;
  const { kept, checkedAtMs } = remembered;
  const evidence = readWith(glance, kept);
  const verdict = decide(evidence);
  const isFresh = Date.now() < checkedAtMs + freshForMs(evidence, verdict);
  return isFresh ? { evidence, verdict, checkedAtMs, isCached: true, isSandbox: false } : undefined;
}

function normalizedOf({ address }: Evidence): string[] {
  return address ? [address.normalized] : [];
}
