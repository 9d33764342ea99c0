/**
 * The sandbox: addresses that name their own result, so that every verdict can be produced without network access.
 *
 * It applies to all requests with a test key, and to all addresses at mailvet.test. The name is the part before the first
 * plus (`catch-all@`, `mailbox-not-found+17@`), or else the first tag (`ann+catch-all@`); other names are `valid`.
 * Underscores may replace hyphens, as in the sub-status itself (`catch_all@`).
 */
import { ALL_SUB_STATUSES } from "@mailvet/contract";
import type { Evidence } from "@mailvet/engine";
import { entriesUpTo } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import { ANSWERING_MS, type CheckContext, upTo } from "./check-options.ts";
import { greylistedFor, SANDBOX_OUTCOMES, type SandboxOutcome } from "./sandbox-outcomes.ts";

export type Sandbox = {
  /** Simulated evidence as named by the address; malformed addresses keep their inspection. */
  simulate(context: CheckContext, inspection: Evidence): Promise<SandboxResult> | SandboxResult;
};

/** Final, unless the address names a result that comes later. */
export type SandboxResult = { evidence: Evidence; isFinal: boolean };

export const SANDBOX_DOMAIN = "mailvet.test";
const GREYLIST_SECONDS = 2;
const SLOW_SECONDS = 3;
const MAX_GREYLISTED = 10_000;
const GREYLIST_MEMORY_MS = 3_600_000;

/** For whole domains: `catch-all.mailvet.test` has the result that its first label names. */
export function isSandboxDomain({ isTest }: CheckContext, domain: string): boolean {
  return isTest || domain === SANDBOX_DOMAIN || domain.endsWith(`.${SANDBOX_DOMAIN}`);
}

export function isInSandbox({ isTest }: CheckContext, { address }: Evidence): boolean {
  return isTest || address?.domain === SANDBOX_DOMAIN;
}

export function createSandbox(): Sandbox {
  // Per process, so behind a load balancer one more attempt may be needed.
  const firstAskedMs = new LRUCache<string, number>({
    ...entriesUpTo(MAX_GREYLISTED),
    ttl: GREYLIST_MEMORY_MS,
  });

  const greylistedThenValid = (accountId: string, inspection: Evidence): SandboxResult => {
    const key = `${accountId} ${inspection.address?.normalized}`;
    const nowMs = performance.now();
    const sinceMs = firstAskedMs.get(key);
    if (sinceMs === undefined) firstAskedMs.set(key, nowMs);
    const isOver = sinceMs !== undefined && nowMs - sinceMs >= GREYLIST_SECONDS * 1000;
    return isOver ? final(valid(inspection)) : deferred(inspection, GREYLIST_SECONDS);
  };

  return {
    simulate({ accountId, attempt, level = "smtp", timeoutMs }, inspection) {
      if (!inspection.address) return final(inspection);
      const name = nameOf(inspection.address.normalized);
      const seconds = DELAY_SECONDS.get(name);
      if (seconds === undefined || level !== "smtp")
        return final(upTo(level, (OUTCOMES.get(name) ?? valid)(inspection)));
      // Callers that count attempts get `slow-3s` as a retry instead of a delay.
      if (attempt !== undefined)
        return attempt === 0 ? deferred(inspection, seconds) : final(valid(inspection));
      if (name !== "slow-3s") return greylistedThenValid(accountId, inspection);
      const isInTime = timeoutMs === undefined || timeoutMs > seconds * 1000;
      return after(
        isInTime ? seconds * 1000 : timeoutMs - ANSWERING_MS,
        isInTime ? valid : timedOut,
        inspection,
      );
    },
  };
}

function final(evidence: Evidence): SandboxResult {
  return { evidence, isFinal: true };
}

function deferred(inspection: Evidence, seconds: number): SandboxResult {
  return { evidence: greylistedFor(seconds)(inspection), isFinal: false };
}

async function after(delayMs: number, outcome: SandboxOutcome, inspection: Evidence): Promise<SandboxResult> {
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  return final(outcome(inspection));
}

const valid = SANDBOX_OUTCOMES[""];
const timedOut = SANDBOX_OUTCOMES.smtp_timeout;

/** `valid`, `catch-all`, `mailbox-not-found` … */
const OUTCOMES: ReadonlyMap<string, SandboxOutcome> = new Map(
  ALL_SUB_STATUSES.map((subStatus) => [
    subStatus.replaceAll("_", "-") || "valid",
    SANDBOX_OUTCOMES[subStatus],
  ]),
);

/** Names without an immediate verdict. */
const DELAY_SECONDS: ReadonlyMap<string, number> = new Map([
  ["greylisted-then-valid", GREYLIST_SECONDS],
  ["slow-3s", SLOW_SECONDS],
]);

const NAMES: ReadonlySet<string> = new Set([...OUTCOMES.keys(), ...DELAY_SECONDS.keys()]);

function nameOf(normalized: string): string {
  const local = normalized.slice(0, normalized.lastIndexOf("@")).replaceAll("_", "-");
  const [base = "", tag = ""] = local.split("+", 2);
  return NAMES.has(base) ? base : tag;
}
