/**
 * Emails without a settled answer are asked for again: how often and when depends on what came in the way.
 *
 * How often an email was sent away counts whatever the reasons were. When its tries are used up, the last verdict is the
 * result.
 */
import type { SubStatus } from "@mailvet/contract";

const MINUTES = 60;

/** `theirs` times what the mail server, or else its profile, asked us to wait; in any case this many seconds. */
type Wait = { theirs: number; leastSeconds: number };

const after = (leastSeconds: number): Wait => ({ theirs: 0, leastSeconds });
const asTold = (theirs: number, leastSeconds = 0): Wait => ({ theirs, leastSeconds });

/** The first wait is for those sent away once, and so on. */
const WAITS: Readonly<Partial<Record<SubStatus, readonly Wait[]>>> = {
  // Some forget us in between, and some say a minute where they mean an hour: so later tries come much later.
  greylisted: [asTold(1), asTold(2), asTold(4, 5 * MINUTES), asTold(8, 30 * MINUTES)],
  rate_limited: [asTold(1), asTold(1.5), asTold(2), asTold(3), asTold(4)],
  temporary_error: [after(5 * MINUTES), after(30 * MINUTES)],
  dns_error: [after(1 * MINUTES), after(10 * MINUTES)],
  smtp_timeout: [after(5 * MINUTES)],
  smtp_unreachable: [after(5 * MINUTES)],
  smtp_protocol_error: [after(5 * MINUTES)],
  internal_error: [after(10)],
  // Nobody answers differently while they refuse us (probe_blocked), while nothing gets out of here (egress_blocked),
  // or where nobody is asked (smtp_skipped).
};

const UNTOLD_SECONDS = 6 * MINUTES;
const LONGEST_SECONDS = 60 * MINUTES;
/** From the first try to the last, whatever they say. */
const PATIENCE_MS = 4 * 3_600_000;

export type DeferredEmail = {
  subStatus: SubStatus;
  /** How often before. */
  attempt: number;
  retryAfterSeconds: number | undefined;
  /** Since the first try. */
  elapsedMs: number;
};

/** How long to wait before asking again; undefined: the tries are used up. */
export function retryDelayMs({
  subStatus,
  attempt,
  retryAfterSeconds,
  elapsedMs,
}: DeferredEmail): number | undefined {
  const wait = WAITS[subStatus]?.[attempt];
  if (!wait) return undefined;
  const theirs = wait.theirs * (retryAfterSeconds ?? UNTOLD_SECONDS);
  const delayMs = Math.max(wait.leastSeconds, Math.min(theirs, LONGEST_SECONDS)) * 1000;
  return elapsedMs + delayMs > PATIENCE_MS ? undefined : delayMs;
}

/** Emails that are due at about the same time stay together: delay → emails. */
export function groupByDelay<T>(sentAway: readonly { email: T; delayMs: number }[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const { email, delayMs } of sentAway) {
    const grainMs = delayMs < 60_000 ? 1_000 : 30_000;
    const sharedMs = Math.ceil(delayMs / grainMs) * grainMs;
    const group = groups.get(sharedMs);
    if (group) group.push(email);
    else groups.set(sharedMs, [email]);
  }
  return groups;
}
