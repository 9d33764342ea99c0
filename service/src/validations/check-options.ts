/** Options of a check, and their effect on cached and simulated evidence. */
import type { ValidationRequest } from "@mailvet/contract";
import type { Evidence, Level } from "@mailvet/engine";
import type { Caller } from "../base/caller.ts";

export type CheckParameters = {
  /** How far to go; by default up to SMTP. */
  level?: Level | undefined;
  /** From the start of the request to its answer, instead of the service's own budget. */
  timeoutMs?: number | undefined;
  /** Cached evidence that is older is not used; 0: none is. */
  maxAgeMs?: number | undefined;
};

/** What an answer depends on besides the address. */
export type CheckContext = CheckParameters & {
  accountId: string;
  /** By a test key: no server is contacted. */
  isTest: boolean;
  /** Earlier attempts, for callers that count them. */
  attempt?: number;
};

export function checkContextOf(
  caller: Caller,
  { level, timeoutMs, maxAgeMs }: CheckParameters = {},
): CheckContext {
  return { accountId: caller.accountId, isTest: caller.isTest, level, timeoutMs, maxAgeMs };
}

export function checkOptionsOf(request: Omit<ValidationRequest, "email">): CheckParameters {
  const { level, timeout_seconds, fresh } = request;
  return {
    level,
    timeoutMs: timeout_seconds === undefined ? undefined : timeout_seconds * 1000,
    maxAgeMs: fresh === undefined ? undefined : fresh * 1000,
  };
}

/** Part of the caller's timeout that is reserved for settling the charge and writing the answer. */
export const ANSWERING_MS = 100;

/** How long a check may take, for a request that began at `startedAtMs` by performance.now(). */
export function checkTimeMs(startedAtMs: number, { timeoutMs }: CheckParameters, budgetMs: number): number {
  if (timeoutMs === undefined) return budgetMs;
  return Math.max(0, timeoutMs - ANSWERING_MS - (performance.now() - startedAtMs));
}

export function isTooOld(checkedAtMs: number, { maxAgeMs }: CheckParameters): boolean {
  return maxAgeMs !== undefined && (maxAgeMs === 0 || Date.now() - checkedAtMs > maxAgeMs);
}

/** The part of the evidence that a check of this level finds, so that cached and new answers of a level are the same. */
export function upTo(level: Level | undefined, evidence: Evidence): Evidence {
  if (level === undefined || level === "smtp") return evidence;
  const { mailbox: _m, decoy: _d, naming: _n, adjudication: _a, ...named } = evidence;
  if (level === "dns") return named;
  const { route: _r, policies: _p, provider: _s, ...text } = named;
  if (text.disposable === "mail_host") delete text.disposable;
  return text;
}
