/**
 * Checks under way: begun once, shared by everybody of an account who asks for the same address meanwhile, and
 * finished also when nobody waits any longer, so that whoever asks again finds the answer in the memory.
 */
import { type Check, type Evidence, type Level, unsettled, type Verifier } from "@mailvet/engine";
import { Refusal } from "../refusal.ts";
import { readWith } from "./kept-evidence.ts";
import { inSlices } from "./slices.ts";
import type { VerdictMemory } from "./verdict-memory.ts";

export type ChecksUnderWay = {
  /** Everything asked for at the same time. Refuses when too much is under way already. */
  ask(accountId: string, glances: readonly Evidence[], manner: Manner): Promise<Found[]>;
  /** From now on nobody waits longer than this: the time of all who ask is up by then, whatever they were given. */
  wrapUp(withinMs: number): void;
};

/** What is not settled `withinMs` is answered with what is known by then. Urgent questions go before others. */
export type Manner = { withinMs: number; isUrgent: boolean };

export type Found = { evidence: Evidence; checkedAtMs: number };

export type CheckDeps = {
  verifier: Pick<Verifier, "begin">;
  memory: Pick<VerdictMemory, "remember">;
  /** How far to go for an answer. */
  level: Level;
  /** Checks at once, with those that nobody waits for any longer. */
  maxUnderWay?: number | undefined;
};

const MAX_UNDER_WAY = 20_000;
/** Lists leave some of the places to single checks, and the lists of one account some to those of others. */
const SHARE_OF_LISTS = 3 / 4;
const SHARE_OF_ONE_LISTER = 1 / 4;
const RETRY_WHEN_FULL = { retryAfterSeconds: 5 };
const RETRY_UNSETTLED_SECONDS = 30;

type Running = { check: Check; checkedAtMs: number | undefined; over: Promise<void> };

export function createChecksUnderWay(deps: CheckDeps): ChecksUnderWay {
  const { verifier, memory, level, maxUnderWay = MAX_UNDER_WAY } = deps;
  const running = new Map<string, Running>();
  const countOf = new Map<string, number>();
  /** What ends the waiting of each who asks. */
  const waiting = new Set<() => void>();
  let endsAtMs = Number.POSITIVE_INFINITY;

  const takePlace = (accountId: string, isUrgent: boolean) => {
    const own = countOf.get(accountId) ?? 0;
    if (running.size >= maxUnderWay * (isUrgent ? 1 : SHARE_OF_LISTS)) {
      throw new Refusal("overloaded", "Too many checks are under way.", RETRY_WHEN_FULL);
    }
    if (!isUrgent && own >= maxUnderWay * SHARE_OF_ONE_LISTER) {
      throw new Refusal("rate_limited", "Too many checks of this account are under way.", RETRY_WHEN_FULL);
    }
    countOf.set(accountId, own + 1);
  };
  const leavePlace = (accountId: string) => {
    const left = (countOf.get(accountId) ?? 1) - 1;
    if (left > 0) countOf.set(accountId, left);
    else countOf.delete(accountId);
  };

  const join = (accountId: string, { email, address }: Evidence, isUrgent: boolean): Running => {
    const key = `${accountId} ${address?.normalized ?? email}`;
    const known = running.get(key);
    if (known) {
      if (isUrgent) known.check.hurry();
      return known;
    }
    takePlace(accountId, isUrgent);
    const check = verifier.begin(email, level, { isUrgent });
    const one: Running = { check, checkedAtMs: undefined, over: check.done.then(finish) };
    running.set(key, one);
    return one;

    function finish(evidence: Evidence): void {
      one.checkedAtMs = Date.now();
      running.delete(key);
      leavePlace(accountId);
      if (address) memory.remember(accountId, address.normalized, evidence, one.checkedAtMs);
    }
  };

  return {
    async ask(accountId, glances, { withinMs, isUrgent }) {
      const asked = await inSlices(glances, (glance) => join(accountId, glance, isUrgent));
      await allOrTimeUp(asked, Math.min(withinMs, endsAtMs - performance.now()), waiting);
      return inSlices(glances, (glance, index) => foundBy(asked[index]!, glance));
    },
    wrapUp(withinMs) {
      endsAtMs = performance.now() + withinMs;
      setTimeout(() => {
        for (const timeUp of waiting) timeUp();
      }, withinMs).unref();
    },
  };
}

/** While it waits, what ends the waiting is among `timeUps`. */
function allOrTimeUp(checks: readonly Running[], withinMs: number, timeUps: Set<() => void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, withinMs);
    timeUps.add(resolve);
    Promise.all(checks.map(({ over }) => over))
      .finally(() => {
        clearTimeout(timer);
        timeUps.delete(resolve);
      })
      .then(() => resolve(), reject);
  });
}

function foundBy({ check, checkedAtMs }: Running, glance: Evidence): Found {
  const isOver = checkedAtMs !== undefined;
  const evidence = isOver ? check.evidence : unsettled(check.evidence, RETRY_UNSETTLED_SECONDS);
  return { evidence: readWith(glance, evidence), checkedAtMs: checkedAtMs ?? Date.now() };
}
