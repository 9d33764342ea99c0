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
import type { Caller } from "../caller.ts";
import { greylistedFor, SANDBOX_OUTCOMES, type SandboxOutcome } from "./sandbox-outcomes.ts";

export type Sandbox = {
  /** Evidence made up as the address wants it; what is no address is left to the text. */
  play(accountId: string, glance: Evidence): Promise<Evidence>;
};

const SANDBOX_DOMAIN = "mailvet.test";
const GREYLIST_SECONDS = 2;
const SLOW_MS = 3000;
const MAX_GREYLISTED = 10_000;
const GREYLIST_MEMORY_MS = 3_600_000;

export function isInSandbox({ by }: Caller, { address }: Evidence): boolean {
  return (by.kind === "key" && by.isTest) || address?.domain === SANDBOX_DOMAIN;
}

export function createSandbox(): Sandbox {
  // Each process remembers for itself whom it has sent away, so behind a balancer one more try may be needed.
  const firstAskedMs = new LRUCache<string, number>({ max: MAX_GREYLISTED, ttl: GREYLIST_MEMORY_MS });

  const greylistedThenValid = (accountId: string, glance: Evidence): Evidence => {
    const key = `${accountId} ${glance.address?.normalized}`;
    const nowMs = performance.now();
    const sinceMs = firstAskedMs.get(key);
    if (sinceMs === undefined) firstAskedMs.set(key, nowMs);
    const isOver = sinceMs !== undefined && nowMs - sinceMs >= GREYLIST_SECONDS * 1000;
    return isOver ? valid(glance) : greylistedFor(GREYLIST_SECONDS)(glance);
  };

  return {
    async play(accountId, glance) {
      if (!glance.address) return glance;
      const name = nameOf(glance.address.normalized);
      if (name === "greylisted-then-valid") return greylistedThenValid(accountId, glance);
      if (name === "slow-3s") await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      return (OUTCOMES.get(name) ?? valid)(glance);
    },
  };
}

const valid = SANDBOX_OUTCOMES[""];

/** `valid`, `catch-all`, `mailbox-not-found` … */
const OUTCOMES: ReadonlyMap<string, SandboxOutcome> = new Map(
  ALL_SUB_STATUSES.map((subStatus) => [
    subStatus.replaceAll("_", "-") || "valid",
    SANDBOX_OUTCOMES[subStatus],
  ]),
);

const NAMES: ReadonlySet<string> = new Set([...OUTCOMES.keys(), "greylisted-then-valid", "slow-3s"]);

function nameOf(normalized: string): string {
  const local = normalized.slice(0, normalized.lastIndexOf("@")).replaceAll("_", "-");
  const [base = "", tag = ""] = local.split("+", 2);
  return NAMES.has(base) ? base : tag;
}
