/**
 * The published part of a domain's tally. Tallies are counted from the mailboxes of all accounts, and each account sees them
 * ("first.last, as 13 of 15 proven mailboxes here"). To hide single mailboxes:
 *
 * - Nothing is published for fewer than three mailboxes, which would reveal the form of one person's name.
 * - Numbers are rounded down: three, five, then multiples of five, in whole mailboxes. Repeated requests show at most that
 *   some were added, not when one was nor how it is named.
 *
 * What remains visible: that mailboxes at this domain were proven by some account, about how many, and the forms of their
 * names. An account that has proven two of three itself learns the form of the third.
 */
import type { PatternTally } from "@mailvet/engine";

const MIN_MAILBOXES = 3;
const STEP = 5;

export function publishedTally({ mailboxes, shares }: PatternTally): PatternTally | undefined {
  if (mailboxes < MIN_MAILBOXES) return undefined;
  const published = mailboxes < STEP ? MIN_MAILBOXES : mailboxes - (mailboxes % STEP);
  return { mailboxes: published, shares: inWholes(shares, published) };
}

/** Scales the shares to whole numbers of this sum by the largest remainder method. */
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
