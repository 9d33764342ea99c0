/**
 * Checks in flight: started once per account, level and address, shared by concurrent requests, and finished even when no
 * request waits any longer, so that the next one finds the result in the verdict cache.
 */
import {
  type Check,
  type Evidence,
  type Level,
  type MailboxFinding,
  timeoutEvidence,
  type Verifier,
} from "@mailvet/engine";
import { createConcurrencyLimit } from "../base/concurrency-limit.ts";
import { inTimeSlices } from "../base/event-loop-yield.ts";
import { Refusal } from "../base/refusal.ts";
import type { NamingKnowledge } from "../naming/naming.ts";
import { mergeEvidence } from "./cached-evidence.ts";
import { freshForMs } from "./freshness.ts";
import type { VerdictCache } from "./verdict-cache.ts";

export type InFlightChecks = {
  /** Starts or joins a check for each. Refuses when too many are in flight. Urgent checks have priority. */
  begin(
    accountId: string,
    inspections: readonly Evidence[],
    isUrgent: boolean,
    level?: Level | undefined,
  ): Promise<CheckRequest[]>;
  /** As many of a list as the limit allows, and undefined for the others. */
  beginSome(
    accountId: string,
    inspections: readonly Evidence[],
    level?: Level | undefined,
  ): Promise<(CheckRequest | undefined)[]>;
  /** Until all of them are done, the time is up, or the signal is aborted. */
  wait(requests: readonly CheckRequest[], withinMs: number, signal?: AbortSignal): Promise<void>;
  /** Shutdown: from now on no caller waits longer than this, whatever its time limit. */
  wrapUp(withinMs: number): void;
};

/** A requested address, and the check that it shares with other requests for the same. */
export type CheckRequest = { readonly inspection: Evidence; readonly running: Running };

export type Found = { evidence: Evidence; checkedAtMs: number };

export type CheckDeps = {
  verifier: Pick<Verifier, "inspect" | "begin">;
  verdictCache: Pick<VerdictCache, "store">;
  /** Learns from every finished check. */
  naming?: Pick<NamingKnowledge, "learnFrom"> | undefined;
  /** For the metrics: every mailbox that was probed. */
  countFinding?: ((answer: MailboxFinding["answer"], provider: string) => void) | undefined;
  /** W3C traceparent of the current span (base/tracing.ts). */
  currentTrace?: (() => string | undefined) | undefined;
  /** Unless the request has its own. */
  level: Level;
  /** Including checks that no request waits for any longer. */
  maxInFlight?: number | undefined;
};

const MAX_IN_FLIGHT = 20_000;
/** Lists leave room for single checks, and the lists of one account leave room for those of others. */
const SHARE_OF_LISTS = 3 / 4;
const SHARE_OF_ONE_ACCOUNT = 1 / 4;
const RETRY_UNSETTLED_SECONDS = 30;

export type Running = {
  check: Check;
  level: Level;
  checkedAtMs: number | undefined;
  /** Called once when the check is done. */
  waiters: Set<() => void>;
};

export function createInFlightChecks(deps: CheckDeps): InFlightChecks {
  const { verifier, verdictCache, naming, level: usualLevel, maxInFlight = MAX_IN_FLIGHT } = deps;
  const running = new Map<string, Running>();
  const slots = createConcurrencyLimit({ what: "checks" });
  /** Lists leave room for single checks, and one list for those of other accounts. */
  const listLimits = {
    perAccount: Math.ceil(maxInFlight * SHARE_OF_ONE_ACCOUNT),
    total: Math.ceil(maxInFlight * SHARE_OF_LISTS),
  };
  /** Each ends the wait of one caller. */
  const waiting = new Set<() => void>();
  let endsAtMs = Number.POSITIVE_INFINITY;

  const join = (accountId: string, inspection: Evidence, isUrgent: boolean, level: Level): Running => {
    const { email, address } = inspection;
    const key = `${accountId} ${level} ${address?.normalized ?? email}`;
    const known = running.get(key);
    if (known) {
      if (isUrgent) known.check.raisePriority();
      return known;
    }
    const release = slots.acquire(accountId, isUrgent ? { total: maxInFlight } : listLimits);
    const trace = deps.currentTrace?.();
    const check = verifier.begin(withoutOutcome(inspection), level, { isUrgent, tenant: accountId, trace });
    const one: Running = { check, level, checkedAtMs: undefined, waiters: new Set() };
    running.set(key, one);
    void check.done.then(finish);
    return one;

    function finish(evidence: Evidence): void {
      one.checkedAtMs = Date.now();
      running.delete(key);
      release();
      for (const onDone of one.waiters) onDone();
      // What a lower level left open is not a verdict, so it is not cached.
      if (address && (level === "smtp" || freshForMs(evidence) > 0))
        verdictCache.store(accountId, address.normalized, evidence, one.checkedAtMs);
      naming?.learnFrom(evidence);
      const { mailbox, provider } = evidence;
      if (mailbox && !mailbox.isInferred) deps.countFinding?.(mailbox.answer, provider || "other");
    }
  };

  const request = (
    accountId: string,
    inspection: Evidence,
    isUrgent: boolean,
    level = usualLevel,
  ): CheckRequest => ({ inspection, running: join(accountId, inspection, isUrgent, level) });

  return {
    begin: (accountId, inspections, isUrgent, level) =>
      inTimeSlices(inspections, (inspection) => request(accountId, inspection, isUrgent, level)),
    beginSome: (accountId, inspections, level) =>
      inTimeSlices(inspections, (inspection) => {
        try {
          return request(accountId, inspection, false, level);
        } catch (error) {
          if (error instanceof Refusal) return undefined;
          throw error;
        }
      }),
    wait: (requests, withinMs, signal) =>
      allOrTimeUp(requests, Math.min(withinMs, endsAtMs - performance.now()), waiting, signal),
    wrapUp(withinMs) {
      endsAtMs = performance.now() + withinMs;
      setTimeout(() => {
        for (const timeUp of waiting) timeUp();
      }, withinMs).unref();
    },
  };
}

/** The outcome is added for each request (mergeEvidence). */
function withoutOutcome(inspection: Evidence): Evidence {
  if (inspection.outcome === undefined) return inspection;
  const { outcome: _, ...shared } = inspection;
  return shared;
}

/** While it waits, `timeUps` has the function that ends the wait. */
function allOrTimeUp(
  requests: readonly CheckRequest[],
  withinMs: number,
  timeUps: Set<() => void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const open = new Set(requests.filter((one) => !isSettled(one)).map(({ running }) => running));
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

/** The evidence so far, whether the check is done or not. */
export function foundFor({ inspection, running: { check, level, checkedAtMs } }: CheckRequest): Found {
  const isOver = checkedAtMs !== undefined;
  const evidence = isOver ? check.evidence : timeoutEvidence(check.evidence, RETRY_UNSETTLED_SECONDS, level);
  return { evidence: mergeEvidence(inspection, evidence), checkedAtMs: checkedAtMs ?? Date.now() };
}
