/**
 * Which emails are asked for together: those of one domain, since they go to the same mail hosts and share conversations
 * there. Small domains are packed together; a large one gets slices of its own, spread among the others, so that a host
 * that is slow or takes few connections keeps nobody else waiting. What looks like a slip of a domain goes with it.
 */

import type { TimeSlice } from "../event-loop-yield.ts";
import { createNeighbourhood, MANY_ADDRESSES } from "../naming/list-neighbours.ts";

/** An email, and the row where it stands first. */
export type SliceEmail = [row: number, email: string];

/** Few enough to be done in one go, enough for conversations to be shared. */
export const MAX_SLICE_EMAILS = 250;
/** From here on a domain would fill most of a slice anyway. */
const LARGE_DOMAIN_EMAILS = MAX_SLICE_EMAILS / 2;
const EMAILS_BETWEEN_LOOKS = 256;

export async function cutSlices(emails: readonly SliceEmail[], turn: TimeSlice): Promise<SliceEmail[][]> {
  const small: SliceEmail[][] = [];
  const trains: SliceEmail[][][] = [small];
  let open: SliceEmail[] | undefined;
  const domains = await byDomain(emails, turn);
  await joinSlips(domains, turn);
  for (const ofDomain of domains.values()) {
    if (ofDomain.length >= LARGE_DOMAIN_EMAILS) {
      trains.push(inEqualParts(ofDomain));
      continue;
    }
    if (!open || open.length + ofDomain.length > MAX_SLICE_EMAILS) {
      open = [];
      small.push(open);
    }
    open.push(...ofDomain);
  }
  return spread(trains);
}

async function byDomain(emails: readonly SliceEmail[], turn: TimeSlice): Promise<Map<string, SliceEmail[]>> {
  const domains = new Map<string, SliceEmail[]>();
  for (const [index, entry] of emails.entries()) {
    if (index % EMAILS_BETWEEN_LOOKS === 0 && turn.isOver) await turn.next();
    const domain = entry[1].slice(entry[1].lastIndexOf("@") + 1).toLowerCase();
    const known = domains.get(domain);
    if (known) known.push(entry);
    else domains.set(domain, [entry]);
  }
  return domains;
}

/** What may be a slip of a domain with many emails goes with it: when it fails, the slice shows what was meant. */
async function joinSlips(domains: Map<string, SliceEmail[]>, turn: TimeSlice): Promise<void> {
  const neighbourhood = createNeighbourhood();
  for (const [domain, ofDomain] of domains) {
    if (ofDomain.length < MANY_ADDRESSES) continue;
    if (turn.isOver) await turn.next();
    neighbourhood.add(domain);
  }
  for (const [domain, ofDomain] of domains) {
    if (ofDomain.length >= MANY_ADDRESSES) continue;
    if (turn.isOver) await turn.next();
    const [neighbour] = neighbourhood.near(domain);
    if (neighbour === undefined) continue;
    domains.get(neighbour)!.push(...ofDomain);
    domains.delete(domain);
  }
}

/** As few as will do, and none of them much smaller than the rest. */
function inEqualParts(emails: readonly SliceEmail[]): SliceEmail[][] {
  const count = Math.ceil(emails.length / MAX_SLICE_EMAILS);
  return Array.from({ length: count }, (_, part) =>
    emails.slice(
      Math.round((part * emails.length) / count),
      Math.round(((part + 1) * emails.length) / count),
    ),
  );
}

/** One sequence of all trains, each of them stretched over the whole of it. */
function spread(trains: readonly SliceEmail[][][]): SliceEmail[][] {
  return trains
    .flatMap((slices) => slices.map((slice, index) => ({ slice, place: (index + 0.5) / slices.length })))
    .sort((a, b) => a.place - b.place)
    .map(({ slice }) => slice);
}
