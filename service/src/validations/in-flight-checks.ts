/**
 * Checks under way: begun once, shared by everybody of an account who asks for the same address meanwhile, and
 * finished also when nobody waits any longer, so that whoever asks again finds the answer in the memory.
 */
import { type Check, type Evidence, type Level, timeoutEvidence, type Verifier } from "@mailvet/engine";
import { inTimeSlices } from "../event-loop-yield.ts";
import type { NamingKnowledge } from "../naming/naming.ts";
import { Refusal } from "../refusal.ts";
import { readWith } from "./cached-evidence.ts";
import { freshForMs } from "./freshness.ts";
import type { VerdictCache } from "./verdict-cache.ts";

export type InFlightChecks = {
  /** Everything at the same time. Refuses when too much is under way already. Urgent questions go before others. */
  begin(
    accountId: string,
    glances: readonly Evidence[],
    isUrgent: boolean,
    level?: Level | undefined,
  ): Promise<CheckRequest[]>;
  /** Those of a list for which there is room, and undefined for the others. */
  beginSome(accountId: string, glances: readonly Evidence[]): Promise<(CheckRequest | undefined)[]>;
  /** Until all of them are settled, the time is up, or the signal comes. */
  wait(questions: readonly CheckRequest[], withinMs: number, signal?: AbortSignal): Promise<void>;
  /** From now on nobody waits longer than this: the time of all who ask is up by then, whatever they were given. */
  wrapUp(withinMs: number): void;
};

/** What somebody asked, and the check that will answer it, with whoever else asked for the same. */
export type CheckRequest = { readonly glance: Evidence; readonly running: Running };

export type Found = { evidence: Evidence; checkedAtMs: number };

export type CheckDeps = {
  verifier: Pick<Verifier, "begin">;
  memory: Pick<VerdictCache, "remember">;
  /** Learns how mailboxes are named from every check that has ended. */
  naming?: Pick<NamingKnowledge, "learnFrom"> | undefined;
  /** How far to go for an answer where the request does not say. */
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

export type Running = {
  check: Check;
  level: Level;
  checkedAtMs: number | undefined;
  /** Each is told once when it is over. They come and go, while a check may last long. */
  waiters: Set<() => void>;
};

export function createInFlightChecks(deps: CheckDeps): InFlightChecks {
  const { verifier, memory, naming, level: usualLevel, maxUnderWay = MAX_UNDER_WAY } = deps;
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

  const join = (
    accountId: string,
    { email, address }: Evidence,
    isUrgent: boolean,
    level: Level,
  ): Running => {
    const key = `${accountId} ${level} ${address?.normalized ?? email}`;
    const known = running.get(key);
    if (known) {
      if (isUrgent) known.check.raisePriority();
      return known;
    }
    takePlace(accountId, isUrgent);
    const check = verifier.begin(email, level, { isUrgent });
    const one: Running = { check, level, checkedAtMs: undefined, waiters: new Set() };
    running.set(key, one);
    void check.done.then(finish);
    return one;

    function finish(evidence: Evidence): void {
      one.checkedAtMs = Date.now();
      running.delete(key);
      leavePlace(accountId);
      for (const tell of one.waiters) tell();
      // What a lower level left open is no verdict to keep, not even to look back at.
      if (address && (level === "smtp" || freshForMs(evidence) > 0))
        memory.remember(accountId, address.normalized, evidence, one.checkedAtMs);
      naming?.learnFrom(evidence);
    }
  };

  const question = (
    accountId: string,
    glance: Evidence,
    isUrgent: boolean,
    level = usualLevel,
  ): CheckRequest => ({ glance, running: join(accountId, glance, isUrgent, level) });

  return {
    begin: (accountId, glances, isUrgent, level) =>
      inTimeSlices(glances, (glance) => question(accountId, glance, isUrgent, level)),
    beginSome: (accountId, glances) =>
      inTimeSlices(glances, (glance) => {
        try {
          return question(accountId, glance, false);
        } catch (error) {
          if (error instanceof Refusal) return undefined;
          throw error;
        }
      }),
    wait: (questions, withinMs, signal) =>
      allOrTimeUp(questions, Math.min(withinMs, endsAtMs - performance.now()), waiting, signal),
    wrapUp(withinMs) {
      endsAtMs = performance.now() + withinMs;
      setTimeout(() => {
        for (const timeUp of waiting) timeUp();
      }, withinMs).unref();
    },
  };
}

/** While it waits, what ends the waiting is among `timeUps`. */
function allOrTimeUp(
  questions: readonly CheckRequest[],
  withinMs: number,
  timeUps: Set<() => void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const open = new Set(questions.filter((one) => !isSettled(one)).map(({ running }) => running));
    let left = open.size;
    const end = () => {
      clearTimeout(timer);
      timeUps.delete(end);
      signal?.removeEventListener("abort", end);
      for (const { waiters } of open) waiters.delete(oneLess);
      resolve();
    };
    const oneLess = () => {
      left -= 1;
      if (left === 0) end();
    };
    const timer = setTimeout(end, withinMs);
    timeUps.add(end);
    signal?.addEventListener("abort", end);
    for (const { waiters } of open) waiters.add(oneLess);
    if (left === 0 || signal?.aborted) end();
  });
}

export function isSettled({ running }: CheckRequest): boolean {
  return running.checkedAtMs !== undefined;
}

/** What is known by now, settled or not. */
export function foundFor({ glance, running: { check, level, checkedAtMs } }: CheckRequest): Found {
  const isOver = checkedAtMs !== undefined;
  const evidence = isOver ? check.evidence : timeoutEvidence(check.evidence, RETRY_UNSETTLED_SECONDS, level);
  return { evidence: readWith(glance, evidence), checkedAtMs: checkedAtMs ?? Date.now() };
}
