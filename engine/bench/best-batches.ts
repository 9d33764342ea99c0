/**
 * The most addresses per second that any choice of batches reaches at one host with one connection, where the share of refusals is
 * known beforehand, mailboxes are independent and the queue has no end. Computed, not simulated: an optimal policy by
 * dynamic programming over the refusals so far, and the rate by bisection.
 */
import { binomial } from "#src/smtp/throttle/refusal-estimate";

export type HostModel = {
  roundTripMs: number;
  roundTripsToOpen: number;
  /** Refusals without a delay; each reply after one more is delayed. */
  budget: number;
  delayMs: number;
  maxBatch: number;
};

/** `decoys`: further refusals per address. They come at random, as if a rule could not tell them from addresses. */
export function bestRate(host: HostModel, refusedShare: number, decoys: number): number {
  const share = (refusedShare + decoys) / (1 + decoys);
  const batches = Array.from({ length: host.maxBatch }, (_, i) => ({
    addresses: (i + 1) / (1 + decoys),
    refusals: binomial(i + 1, share),
    delayedReplies: Array.from({ length: host.budget + 1 }, (_, left) => delayedReplies(i + 1, share, left)),
  }));
  /** Of a session: its addresses, less what its time would have brought at this rate (addresses/ms). */
  const gainOfSession = (rate: number): number => {
    const quit = -rate * host.roundTripMs;
    const gains: number[] = []; // by refusals left
    for (let left = 0; left <= host.budget; left++) {
      let best = quit;
      for (const { addresses, refusals, delayedReplies } of batches) {
        const own = addresses - rate * (host.roundTripMs + delayedReplies[left]! * host.delayMs);
        // Without a refusal the session is where it was, so this gain contains itself.
        const more = refusals.slice(1).reduce((sum, p, i) => sum + p * (gains[left - 1 - i] ?? quit), 0);
        best = Math.max(best, own, (own + more) / (1 - refusals[0]!)); // own: the last batch, sent with QUIT
      }
      gains.push(best);
    }
    return gains[host.budget]! - rate * host.roundTripsToOpen * host.roundTripMs;
  };
  let [low, high] = [0, host.maxBatch / host.roundTripMs];
  for (let step = 0; step < 40; step++) {
    const rate = (low + high) / 2;
    if (gainOfSession(rate) > 0) low = rate;
    else high = rate;
  }
  return low * 1000;
}

/** Expected replies after more than `left` refusals. */
function delayedReplies(recipients: number, share: number, left: number): number {
  let expected = 0;
  for (let before = 0; before < recipients; before++)
    expected += binomial(before, share)
      .slice(left + 1)
      .reduce((sum, p) => sum + p, 0);
  return expected;
}
