/**
 * The answer to a question about an address: a verdict that is known already, or what asking around brings in time.
 *
 * Known already is what the sandbox plays, what the text alone settles, and what the account's memory still holds.
 */
import type { Evidence } from "@mailvet/engine";
import type { Caller } from "../caller.ts";
import { type CheckDeps, createChecksUnderWay, type Manner } from "./checks-under-way.ts";
import { freshForMs } from "./freshness.ts";
import { readWith } from "./kept-evidence.ts";
import { createSandbox, isInSandbox } from "./sandbox.ts";
import { inSlices } from "./slices.ts";
import type { VerdictMemory } from "./verdict-memory.ts";

export type Answer = {
  evidence: Evidence;
  /** When the evidence was gathered. */
  checkedAtMs: number;
  isCached: boolean;
  isSandbox: boolean;
};

export type Answers = {
  /** A first look at the text, without asking anyone. */
  glance(email: string): Evidence;
  /** For each of them the answer, where there is one without asking. */
  known(caller: Caller, glances: readonly Evidence[]): Promise<(Answer | undefined)[]>;
  /** The answers to those that are not known. */
  ask(caller: Caller, glances: readonly Evidence[], manner: Manner): Promise<Answer[]>;
};

export type AnswerDeps = CheckDeps & { memory: Pick<VerdictMemory, "recall"> };

export function createAnswers(deps: AnswerDeps): Answers {
  const { verifier, memory } = deps;
  const sandbox = createSandbox();
  const checks = createChecksUnderWay(deps);

  const withoutMemory = (caller: Caller, glance: Evidence): Promise<Answer> | Answer | undefined => {
    if (isInSandbox(caller, glance)) return sandbox.play(caller.accountId, glance).then(played);
    return isSettledByText(glance) ? justNow(glance) : undefined;
  };

  const recall = async (accountId: string, glances: readonly Evidence[]): Promise<(Answer | undefined)[]> => {
    const remembered = await memory.recall(accountId, glances.flatMap(normalizedOf));
    const nowMs = Date.now();
    return inSlices(glances, (glance) => {
      const one = glance.address && remembered.get(glance.address.normalized);
      if (!one) return undefined;
      const evidence = readWith(glance, one.kept);
      const isFresh = nowMs < one.checkedAtMs + freshForMs(evidence);
      return isFresh ? { ...justNow(evidence), checkedAtMs: one.checkedAtMs, isCached: true } : undefined;
    });
  };

  return {
    glance: (email) => verifier.begin(email, "syntax").evidence,
    async known(caller, glances) {
      const answers = await Promise.all(await inSlices(glances, (glance) => withoutMemory(caller, glance)));
      const open = glances.filter((_, index) => answers[index] === undefined);
      if (open.length === 0) return answers;
      const recalled = (await recall(caller.accountId, open)).values();
      return answers.map((answer) => answer ?? recalled.next().value);
    },
    async ask({ accountId }, glances, manner) {
      const found = await checks.ask(accountId, glances, manner);
      return found.map((one) => ({ ...one, isCached: false, isSandbox: false }));
    },
  };
}

/** Nothing that anyone could say would change it. */
function isSettledByText({ complaint, specialUse, providerComplaint }: Evidence): boolean {
  return complaint !== undefined || specialUse !== undefined || providerComplaint !== undefined;
}

function justNow(evidence: Evidence): Answer {
  return { evidence, checkedAtMs: Date.now(), isCached: false, isSandbox: false };
}

function played(evidence: Evidence): Answer {
  return { ...justNow(evidence), isSandbox: true };
}

function normalizedOf({ address }: Evidence): string[] {
  return address ? [address.normalized] : [];
}
