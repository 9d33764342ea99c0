/**
 * `npm run bench:refusals`: what the size of a batch costs and saves at a host that delays every reply by a second after
 * the tenth refusal (Postfix). Small batches cost round trips, large ones delays.
 *
 * A model: no sockets, time is counted. One connection, 40 ms a round trip, a fifth of the mailboxes refused, on average;
 * where they are correlated, the share differs from domain to domain (beta distribution).
 */
import {
  LONG_QUEUE,
  lastRefusalsLeft,
  MIN_REFUSALS_LEFT,
  PIPELINED_BATCH,
} from "#src/smtp/session/session-runner";
import {
  createHostLimits,
  expectedRefusals,
  likelyRefusals,
  recordAnswer,
} from "#src/smtp/throttle/learned-limits";
import { profileOf } from "#src/smtp/throttle/provider-profile";
import { createRandom, type Random } from "../model/random.ts";

const ROUND_TRIP_MS = 40;
const DELAY_MS = 1000;
const { refusalsPerSession: BUDGET } = profileOf("");
/** Connecting, banner, EHLO. */
const ROUND_TRIPS_TO_OPEN = 3;
const LISTS = 300;
const ADDRESSES = 1000;
const PER_DOMAIN = 25;
const REFUSED = 0.2;

for (const correlation of [0, 0.05, 0.1, 0.3]) {
  let ms = 0;
  let delayed = 0;
  for (let seed = 1; seed <= LISTS; seed++) {
    const random = createRandom(seed);
    const spent = timeOf(listWith(correlation, random));
    ms += spent.ms;
    delayed += spent.delayedSessions;
  }
  const rate = (LISTS * ADDRESSES * 1000) / ms;
  console.log(
    `correlation ${correlation.toFixed(2)}: ${rate.toFixed(0)} addresses/s, ${(delayed / LISTS).toFixed(2)} delayed sessions in ${ADDRESSES} addresses`,
  );
}

/** For each address, whether it is refused. */
function listWith(correlation: number, random: Random): boolean[] {
  return Array.from({ length: ADDRESSES / PER_DOMAIN }, () => {
    const spread = 1 / correlation - 1;
    const share = correlation === 0 ? REFUSED : beta(REFUSED * spread, (1 - REFUSED) * spread, random);
    return Array.from({ length: PER_DOMAIN }, () => random.chance(share));
  }).flat();
}

/** As session-runner.ts sends them, without decoys. */
function timeOf(list: readonly boolean[]): { ms: number; delayedSessions: number } {
  const limits = createHostLimits().of("host");
  let ms = 0;
  let delayedSessions = 0;
  let next = 0;
  while (next < list.length) {
    ms += ROUND_TRIPS_TO_OPEN * ROUND_TRIP_MS;
    let refused = 0;
    let isLast = false;
    while (next < list.length && !isLast) {
      const left = BUDGET - refused;
      if (left <= 0 || (left < MIN_REFUSALS_LEFT && list.length - next >= LONG_QUEUE)) break;
      let size = 1;
      while (size < PIPELINED_BATCH && (size < left || likelyRefusals(limits, size + 1, 0) <= left)) size++;
      const batch = list.slice(next, next + size);
      const expected = refused + expectedRefusals(limits, batch.length, 0);
      isLast =
        expected > BUDGET - lastRefusalsLeft(BUDGET) && list.length - next - batch.length >= LONG_QUEUE;
      ms += ROUND_TRIP_MS;
      let delayedReplies = 0;
      for (const isRefused of batch) {
        if (refused > BUDGET) delayedReplies++;
        if (isRefused) refused++;
        recordAnswer(limits, { isDecoy: false, isRefused });
      }
      ms += delayedReplies * DELAY_MS;
      if (delayedReplies > 0) delayedSessions++;
      next += batch.length;
    }
    if (!isLast) ms += ROUND_TRIP_MS; // QUIT
  }
  return { ms, delayedSessions };
}

/** By two gamma variables (Marsaglia and Tsang). */
function beta(a: number, b: number, random: Random): number {
  const x = gamma(a, random);
  return x / (x + gamma(b, random));
}

function gamma(shape: number, random: Random): number {
  if (shape < 1) return gamma(shape + 1, random) * random.unit() ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit());
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random.unit()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
