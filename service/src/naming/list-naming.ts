/**
 * How the addresses of one list are named at each domain: for those whose mail servers leave it open whether the mailbox
 * is there. Nobody proved the others, so it counts for less than proven mailboxes; it is its owner's own list, so
 * nothing is told that they did not know.
 *
 * Only those that may well exist are examples: not refused, and named as somebody would choose. A domain is counted
 * once, when the first of its addresses needs it; each address is then told of the others, without itself.
 */
import {
  decide,
  type Evidence,
  hasNamingHabit,
  isUnproven,
  type PatternTally,
  tallyOf,
  type Verdict,
  withMailbox,
} from "@mailvet/engine";
import { mailboxIn } from "./proven-mailbox.ts";

/** The evidence with what the list says, where that is of use; the same evidence otherwise. It is never changed itself. */
export type ListNaming = (evidence: Evidence, verdict: Verdict) => Evidence;

/** Fewer others than this are no habit. */
const LEAST_OTHERS = 3;
/** More examples would not change what they say, and counting them takes time from everybody. */
const MOST_EXAMPLES = 50;
/** From here on somebody chose the name. */
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
    if (!isUnproven(verdict) || !hasNamingHabit(evidence)) return evidence;
    const { domain, local } = evidence.address!;
    const listNaming = withoutOne(countAt(domain), mailboxIn(domain, local)?.local);
    return listNaming.mailboxes < LEAST_OTHERS ? evidence : { ...evidence, listNaming };
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
  // With fewer, nobody has enough others, and most domains of a list have one address.
  if (ofDomain.length > LEAST_OTHERS) {
    for (const evidence of ofDomain) {
      if (examples.size === MOST_EXAMPLES) break;
      const example = isExample(evidence) && mailboxIn(evidence.address!.domain, evidence.address!.local);
      if (example) examples.add(example.local);
    }
  }
  return { examples, tally: tallyOf(examples) };
}

function isExample(evidence: Evidence): boolean {
  const isPlausible = (evidence.nameOpinion?.score ?? 1) >= PLAUSIBLE;
  return isPlausible && hasNamingHabit(evidence) && decide(evidence).status !== "invalid";
}

/** What an address added is what it would add once more: near enough, and no counting anew for each. */
function withoutOne({ examples, tally }: Count, local: string | undefined): PatternTally {
  if (local === undefined || !examples.has(local)) return tally;
  const more = withMailbox(tally, local);
  return {
    mailboxes: 2 * tally.mailboxes - more.mailboxes,
    shares: tally.shares.map((share, i) => Math.max(0, 2 * share - more.shares[i]!)),
  };
}
