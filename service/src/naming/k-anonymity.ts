/**
 * What of a domain's tally is told. Tallies are counted from the mailboxes of all accounts, and each account sees what
 * they say of a domain ("first.last, as 13 of 15 proven mailboxes here"). So that nobody learns of one mailbox from it:
 *
 * - Nothing is told of fewer than three mailboxes. With one or two, the form of one person's name would stand there.
 * - Numbers are told in steps: three, five, then by fives, always fewer than there are, in whole mailboxes. Asking
 *   again and again shows at most that some have come, not when one did nor how it is named.
 *
 * What remains visible to all: that somebody here has proven some mailboxes at this domain, about how many, and the
 * forms of their names. Whoever has proven two of three by themselves learns the form of the third.
 */
import type { PatternTally } from "@mailvet/engine";

const LEAST_MAILBOXES = 3;
const STEP = 5;

export function publishedTally({ mailboxes, shares }: PatternTally): PatternTally | undefined {
  if (mailboxes < LEAST_MAILBOXES) return undefined;
  const told = mailboxes < STEP ? LEAST_MAILBOXES : mailboxes - (mailboxes % STEP);
  return { mailboxes: told, shares: inWholes(shares, told) };
}

/** Shrinks the shares to whole numbers of this sum; what is left over goes where most was cut off. */
function inWholes(shares: readonly number[], sum: number): number[] {
  const total = shares.reduce((all, share) => all + share, 0);
  const exact = shares.map((share) => (total > 0 ? (share * sum) / total : 0));
  const wholes = exact.map(Math.floor);
  const left = sum - wholes.reduce((all, share) => all + share, 0);
  const byRest = exact
    .map((share, index) => ({ index, rest: share - Math.floor(share) }))
    .sort((a, b) => b.rest - a.rest || a.index - b.index);
  for (const { index } of byRest.slice(0, left)) wholes[index]! += 1;
  return wholes;
}
