/**
 * Groups emails into slices by domain, so that they share SMTP sessions with the same hosts.
 *
 * Small domains are packed together. A large domain gets slices of its own, interleaved with the others, so that a slow
 * host does not block the rest. A likely typo of a domain goes into the slice of that domain.
 */
import type { TimeSlice } from "../base/event-loop-yield.ts";
import { createNeighbourhood, MANY_ADDRESSES } from "../naming/similar-domain-index.ts";
import type { StoredEvidence } from "./results/result-evidence.ts";

/** An email, the first row that contains it, and its last attempt, if that was deferred. */
export type SliceEmail = [row: number, email: string, last?: LastAttempt];
export type LastAttempt = {
  subStatus: string;
  checkedAtMs: number;
  evidence: StoredEvidence;
  /** Since when it waits for a host that refuses this installation. */
  waitsSinceMs?: number;
};

/** Few enough for one task, enough to share sessions. */
export const MAX_SLICE_EMAILS = 250;
/** From this size on, a domain fills most of a slice by itself. */
const LARGE_DOMAIN_EMAILS = MAX_SLICE_EMAILS / 2;
const EMAILS_PER_CLOCK_CHECK = 256;

export async function cutSlices(
  emails: readonly SliceEmail[],
  timeSlice: TimeSlice,
): Promise<SliceEmail[][]> {
  const small: SliceEmail[][] = [];
  const lists: SliceEmail[][][] = [small];
  let open: SliceEmail[] | undefined;
  const domains = await byDomain(emails, timeSlice);
  await mergeTypos(domains, timeSlice);
  for (const ofDomain of domains.values()) {
    if (ofDomain.length >= LARGE_DOMAIN_EMAILS) {
      lists.push(inEqualParts(ofDomain));
      continue;
    }
    if (!open || open.length + ofDomain.length > MAX_SLICE_EMAILS) {
      open = [];
      small.push(open);
    }
    open.push(...ofDomain);
  }
  return interleave(lists);
}

async function byDomain(
  emails: readonly SliceEmail[],
  timeSlice: TimeSlice,
): Promise<Map<string, SliceEmail[]>> {
  const domains = new Map<string, SliceEmail[]>();
  for (const [index, entry] of emails.entries()) {
    if (index % EMAILS_PER_CLOCK_CHECK === 0 && timeSlice.isOver) await timeSlice.next();
    const domain = entry[1].slice(entry[1].lastIndexOf("@") + 1).toLowerCase();
    const known = domains.get(domain);
    if (known) known.push(entry);
    else domains.set(domain, [entry]);
  }
  return domains;
}

/** A likely typo of a frequent domain joins that domain: when it fails, the slice shows what was meant. */
async function mergeTypos(domains: Map<string, SliceEmail[]>, timeSlice: TimeSlice): Promise<void> {
  const neighbourhood = createNeighbourhood();
  for (const [domain, ofDomain] of domains) {
    if (ofDomain.length < MANY_ADDRESSES) continue;
    if (timeSlice.isOver) await timeSlice.next();
    neighbourhood.add(domain);
  }
  for (const [domain, ofDomain] of domains) {
    if (ofDomain.length >= MANY_ADDRESSES) continue;
    if (timeSlice.isOver) await timeSlice.next();
    const [neighbour] = neighbourhood.near(domain);
    if (neighbour === undefined) continue;
    domains.get(neighbour)!.push(...ofDomain);
    domains.delete(domain);
  }
}

/** The smallest number of parts, of about equal size. */
function inEqualParts(emails: readonly SliceEmail[]): SliceEmail[][] {
  const count = Math.ceil(emails.length / MAX_SLICE_EMAILS);
  return Array.from({ length: count }, (_, part) =>
    emails.slice(
      Math.round((part * emails.length) / count),
      Math.round(((part + 1) * emails.length) / count),
    ),
  );
}

/** Interleaves the lists, each spread evenly over the whole. */
function interleave(lists: readonly SliceEmail[][][]): SliceEmail[][] {
  return lists
    .flatMap((slices) => slices.map((slice, index) => ({ slice, position: (index + 0.5) / slices.length })))
    .sort((a, b) => a.position - b.position)
    .map(({ slice }) => slice);
}
