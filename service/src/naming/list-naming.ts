/**
 * Naming pattern of one list per domain, for addresses whose mail servers do not reveal whether the mailbox exists. The
 * other addresses are not proven, so it counts less than proven mailboxes. It is the owner's list, so nothing is disclosed.
 *
 * Only plausible addresses are examples: not rejected, and named as a person would choose. A domain is counted once, when
 * the first of its addresses needs it; each address is compared with the others, without itself.
 */
import {
  decide,
  type Evidence,
  hasNamingPattern,
  isUnproven,
  type PatternTally,
  tallyOf,
  type Verdict,
  withMailbox,
} from "@mailvet/engine";
import { mailboxIn } from "./proven-mailbox.ts";

/** The evidence with the naming of the list added, as a copy; the same evidence where that is of no use. */
export type ListNaming = (evidence: Evidence, verdict: Verdict) => Evidence;

/** Fewer others are not a pattern. */
const MIN_OTHERS = 3;
/** More examples would not change the pattern, and counting takes time. */
const MAX_EXAMPLES = 50;
/** From this score on a person chose the name. */
const PLAUSIBLE = 0.5;

/** The list as it stands when it is first needed. */
export function listNamingOf(list: () => Iterable<Evidence>): ListNaming {
  let domains: Map<string, Evidence[]> | undefined;
  const counts = new Map<string, Count>();
  const countAt = (domain: string): Count => {
    domains ??= byDomain(list());
    const known = counts.get(domain) ?? countOf(domains.get(domain) ?? []);
    counts.set(domain, known);
    return known;
  };
  return (evidence, verdict) => {
    if (!isUnproven(verdict) || !hasNamingPattern(evidence)) return evidence;
    const { domain, local } = evidence.address!;
    const listNaming = withoutOne(countAt(domain), mailboxIn(domain, local)?.local);
    return listNaming.mailboxes < MIN_OTHERS ? evidence : { ...evidence, listNaming };
  };
}

type Count = { examples: ReadonlySet<string>; tally: PatternTally };

function byDomain(list: Iterable<Evidence>): Map<string, Evidence[]> {
  const domains = new Map<string, Evidence[]>();
  for (const evidence of list) {
    if (!evidence.address) continue;
    const { domain } = evidence.address;
    const known = domains.get(domain);
    if (known) known.push(evidence);
    else domains.set(domain, [evidence]);
  }
  return domains;
}

function countOf(ofDomain: readonly Evidence[]): Count {
  const examples = new Set<string>();
  // With fewer, no address has enough others; most domains of a list have one address.
  if (ofDomain.length > MIN_OTHERS) {
    for (const evidence of ofDomain) {
      if (examples.size === MAX_EXAMPLES) break;
      const example = isExample(evidence) && mailboxIn(evidence.address!.domain, evidence.address!.local);
      if (example) examples.add(example.local);
    }
  }
  return { examples, tally: tallyOf(examples) };
}

function isExample(evidence: Evidence): boolean {
  const isPlausible = (evidence.nameScore?.score ?? 1) >= PLAUSIBLE;
  return isPlausible && hasNamingPattern(evidence) && decide(evidence).status !== "invalid";
}

/** Subtracts what the address would add once more: close enough, and cheaper than counting again for each. */
function withoutOne({ examples, tally }: Count, local: string | undefined): PatternTally {
  if (local === undefined || !examples.has(local)) return tally;
  const more = withMailbox(tally, local);
  return {
    mailboxes: 2 * tally.mailboxes - more.mailboxes,
    shares: tally.shares.map((share, i) => Math.max(0, 2 * share - more.shares[i]!)),
  };
}
