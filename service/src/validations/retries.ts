/**
 * Retry delays of checks without a definite result, by sub-status and attempt.
 *
 * Attempts are counted whatever their reasons. After the last one the verdict stands.
 */
import type { SubStatus } from "@mailvet/contract";

const MINUTES = 60;

/** `theirs` times the delay that the mail server, or else its profile, asks for; at least `leastSeconds`. */
type Wait = { theirs: number; leastSeconds: number };

const after = (leastSeconds: number): Wait => ({ theirs: 0, leastSeconds });
const asAsked = (theirs: number, leastSeconds = 0): Wait => ({ theirs, leastSeconds });

/** By attempt. */
const WAITS: Readonly<Partial<Record<SubStatus, readonly Wait[]>>> = {
  // Some greylists expire early, and some announce a minute but take an hour: later attempts come much later.
  greylisted: [asAsked(1), asAsked(2), asAsked(4, 5 * MINUTES), asAsked(8, 30 * MINUTES)],
  rate_limited: [asAsked(1), asAsked(1.5), asAsked(2), asAsked(3), asAsked(4)],
  temporary_error: [after(5 * MINUTES), after(30 * MINUTES)],
  server_untrusted: [asAsked(1), asAsked(1), asAsked(1)],
  dns_error: [after(1 * MINUTES), after(10 * MINUTES)],
  smtp_timeout: [after(5 * MINUTES)],
  smtp_unreachable: [after(5 * MINUTES)],
  smtp_protocol_error: [after(5 * MINUTES)],
  internal_error: [after(10)],
  // No retry helps while a host blocks our checks (probe_blocked), no connection gets out (egress_blocked), or SMTP is off
  // (smtp_skipped). Where it refuses our address, rows of a list wait: providerWaitMs below.
};

const DEFAULT_SECONDS = 6 * MINUTES;
const LONGEST_SECONDS = 60 * MINUTES;
/** From the first attempt to the last, whatever the server asks for. */
const PATIENCE_MS = 4 * 3_600_000;

export type DeferredEmail = {
  subStatus: SubStatus;
  /** Attempts before this one. */
  attempt: number;
  retryAfterSeconds: number | undefined;
  /** Since the first attempt. */
  elapsedMs: number;
};

/** How long to wait before the next attempt; undefined when there is none. */
export function retryDelayMs({
  subStatus,
  attempt,
  retryAfterSeconds,
  elapsedMs,
}: DeferredEmail): number | undefined {
  const wait = WAITS[subStatus]?.[attempt];
  if (!wait) return undefined;
  const theirs = wait.theirs * (retryAfterSeconds ?? DEFAULT_SECONDS);
  const delayMs = Math.max(wait.leastSeconds, Math.min(theirs, LONGEST_SECONDS)) * 1000;
  return elapsedMs + delayMs > PATIENCE_MS ? undefined : delayMs;
}

/** How long a row waits for a host that refuses this installation, and has kept it waiting for so long already. */
export function providerWaitMs(
  retryAfterSeconds: number | undefined,
  waitedMs: number,
  maxMs: number,
): number | undefined {
  const leftMs = maxMs - waitedMs;
  if (leftMs <= 0) return undefined;
  return Math.min(leftMs, Math.min(retryAfterSeconds ?? DEFAULT_SECONDS, LONGEST_SECONDS) * 1000);
}

/** Groups emails that are due at about the same time: delay → emails. */
export function groupByDelay<T>(deferred: readonly { email: T; delayMs: number }[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const { email, delayMs } of deferred) {
    const grainMs = delayMs < 60_000 ? 1_000 : 30_000;
    const sharedMs = Math.ceil(delayMs / grainMs) * grainMs;
    const group = groups.get(sharedMs);
    if (group) group.push(email);
    else groups.set(sharedMs, [email]);
  }
  return groups;
}
