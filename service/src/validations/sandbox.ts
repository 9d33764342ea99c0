/**
 * The sandbox: addresses whose outcome is named by the address itself, so that every verdict can be seen without
 * touching the network.
 *
 * It is where a test key always is, and everybody at the domain mailvet.test. The name is the part before the first
 * plus (`catch-all@`, `mailbox-not-found+17@`), or else the first tag (`ann+catch-all@`); other names are `valid`.
 * Underscores will do for its hyphens, as in the sub-status itself (`catch_all@`).
 */
import { ALL_SUB_STATUSES } from "@mailvet/contract";
import type { Evidence } from "@mailvet/engine";
import { LRUCache } from "lru-cache";
import type { Asker } from "./asker.ts";
import { ANSWERING_MS, upTo } from "./check-options.ts";
import { greylistedFor, SANDBOX_OUTCOMES, type SandboxOutcome } from "./sandbox-outcomes.ts";

export type Sandbox = {
  /** Evidence made up as the address wants it; what is no address is left to the text. */
  play(asker: Asker, glance: Evidence): Promise<SandboxResult> | SandboxResult;
};

/** Final, unless the address asks to be asked for again. */
export type SandboxResult = { evidence: Evidence; isFinal: boolean };

export const SANDBOX_DOMAIN = "mailvet.test";
const GREYLIST_SECONDS = 2;
const SLOW_SECONDS = 3;
const MAX_GREYLISTED = 10_000;
const GREYLIST_MEMORY_MS = 3_600_000;

/** The same of a domain as a whole: `catch-all.mailvet.test` has the outcome that its first label names. */
export function isSandboxDomain({ isTest }: Asker, domain: string): boolean {
  return isTest || domain === SANDBOX_DOMAIN || domain.endsWith(`.${SANDBOX_DOMAIN}`);
}

export function isInSandbox({ isTest }: Asker, { address }: Evidence): boolean {
  return isTest || address?.domain === SANDBOX_DOMAIN;
}

export function createSandbox(): Sandbox {
  // Each process remembers for itself whom it has sent away, so behind a balancer one more try may be needed.
  const firstAskedMs = new LRUCache<string, number>({ max: MAX_GREYLISTED, ttl: GREYLIST_MEMORY_MS });

  const greylistedThenValid = (accountId: string, glance: Evidence): SandboxResult => {
    const key = `${accountId} ${glance.address?.normalized}`;
    const nowMs = performance.now();
    const sinceMs = firstAskedMs.get(key);
    if (sinceMs === undefined) firstAskedMs.set(key, nowMs);
    const isOver = sinceMs !== undefined && nowMs - sinceMs >= GREYLIST_SECONDS * 1000;
    return isOver ? final(valid(glance)) : sentAway(glance, GREYLIST_SECONDS);
  };

  return {
    play({ accountId, attempt, level = "smtp", timeoutMs }, glance) {
      if (!glance.address) return final(glance);
      const name = nameOf(glance.address.normalized);
      const seconds = ASKED_AGAIN_AFTER_SECONDS.get(name);
      if (seconds === undefined || level !== "smtp")
        return final(upTo(level, (OUTCOMES.get(name) ?? valid)(glance)));
      // Who comes back need not be kept waiting for the slow one either.
      if (attempt !== undefined) return attempt === 0 ? sentAway(glance, seconds) : final(valid(glance));
      if (name !== "slow-3s") return greylistedThenValid(accountId, glance);
      const isInTime = timeoutMs === undefined || timeoutMs > seconds * 1000;
      return after(isInTime ? seconds * 1000 : timeoutMs - ANSWERING_MS, isInTime ? valid : timedOut, glance);
    },
  };
}

function final(evidence: Evidence): SandboxResult {
  return { evidence, isFinal: true };
}

function sentAway(glance: Evidence, seconds: number): SandboxResult {
  return { evidence: greylistedFor(seconds)(glance), isFinal: false };
}

async function after(delayMs: number, outcome: SandboxOutcome, glance: Evidence): Promise<SandboxResult> {
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  return final(outcome(glance));
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

/** Names that come to no verdict at once. */
const ASKED_AGAIN_AFTER_SECONDS: ReadonlyMap<string, number> = new Map([
  ["greylisted-then-valid", GREYLIST_SECONDS],
  ["slow-3s", SLOW_SECONDS],
]);

const NAMES: ReadonlySet<string> = new Set([...OUTCOMES.keys(), ...ASKED_AGAIN_AFTER_SECONDS.keys()]);

function nameOf(normalized: string): string {
  const local = normalized.slice(0, normalized.lastIndexOf("@")).replaceAll("_", "-");
  const [base = "", tag = ""] = local.split("+", 2);
  return NAMES.has(base) ? base : tag;
}
