/**
 * `npm run bench:refusals`: what the size of a batch costs and saves at a host that delays every reply by a second after
 * the tenth refusal (Postfix). Small batches cost round trips, large ones delays.
 *
 * A model: no sockets, time is counted; queue, room for a batch and estimate are those of the engine. One connection, 40 ms
 * a round trip, a fifth of the mailboxes refused, on average; where they are correlated, the share differs from domain to
 * domain (beta distribution). One decoy per domain, which is refused. Known mailboxes are not asked again.
 */
import { ProbeQueue } from "#src/smtp/probe-queue";
import { ProbeRequest } from "#src/smtp/probe-request";
import { inSendingOrder, riskAmong, roomForBatch } from "#src/smtp/session/batch-room";
import {
  LONG_QUEUE,
  lastRefusalsLeft,
  MIN_REFUSALS_LEFT,
  PIPELINED_BATCH,
} from "#src/smtp/session/session-runner";
import { createHostLimits } from "#src/smtp/throttle/learned-limits";
import { profileOf } from "#src/smtp/throttle/provider-profile";
import { createRandom, type Random } from "../model/random.ts";
import { bestRate } from "./best-batches.ts";

const ROUND_TRIP_MS = 40;
const DELAY_MS = 1000;
const { refusalsPerSession: BUDGET, recipientsPerTransaction } = profileOf("");
/** Connecting, banner, EHLO. */
const ROUND_TRIPS_TO_OPEN = 3;
const LISTS = 100;
const REFUSED = 0.2;
const HOST = "mx.hosting.test";

type Mailbox = { name: string; isRefused: boolean };

for (const [domains, perDomain] of [
  [1, 40],
  [12, 25],
  [60, 25],
  [12, 250],
  [300, 5],
] as const) {
  const best = bestRate(
    {
      roundTripMs: ROUND_TRIP_MS,
      roundTripsToOpen: ROUND_TRIPS_TO_OPEN,
      budget: BUDGET,
      delayMs: DELAY_MS,
      maxBatch: PIPELINED_BATCH,
    },
    REFUSED,
    1 / perDomain,
  );
  console.log(
    `\n${domains} x ${perDomain} addresses; at best about ${best.toFixed(0)} addresses/s with an endless list of such domains, ` +
      "a known share and no correlation",
  );
  for (const correlation of [0, 0.05, 0.1, 0.3, 0.6]) {
    let ms = 0;
    let delayed = 0;
    for (let seed = 1; seed <= LISTS; seed++) {
      const random = createRandom(seed);
      const spent = timeOf(Array.from({ length: domains }, () => domainWith(perDomain, correlation, random)));
      ms += spent.ms;
      delayed += spent.delayedSessions;
    }
    const addresses = LISTS * domains * perDomain;
    console.log(
      `correlation ${correlation.toFixed(2)}: ${((addresses * 1000) / ms).toFixed(0)} addresses/s, ${((delayed * 1000) / addresses).toFixed(2)} delayed sessions in 1000 addresses`,
    );
  }
}

/** For each address, whether it is refused. */
function domainWith(addresses: number, correlation: number, random: Random): boolean[] {
  const spread = 1 / correlation - 1;
  const share = correlation === 0 ? REFUSED : beta(REFUSED * spread, (1 - REFUSED) * spread, random);
  return Array.from({ length: addresses }, () => random.chance(share));
}

/** As session-runner.ts sends them. */
function timeOf(list: readonly boolean[][]): { ms: number; delayedSessions: number } {
  const { refusals } = createHostLimits().of(HOST);
  const refused = new Set<string>();
  const queue = new ProbeQueue();
  const enqueue = ({ name, isRefused }: Mailbox, domain: string, isDecoy = false) => {
    const recipient = `${name}@${domain}`;
    if (isRefused) refused.add(recipient);
    queue.add(
      new ProbeRequest({ recipient, domain, smtpUtf8: false, isDecoy, isInteractive: false }, () => {}),
    );
  };
  for (const [i, mailboxes] of list.entries()) {
    const domain = `domain${i}.test`;
    for (const [j, isRefused] of mailboxes.entries()) enqueue({ name: `ann${j}`, isRefused }, domain);
    enqueue({ name: "decoy", isRefused: true }, domain, true);
  }
  let ms = 0;
  let delayedSessions = 0;
  while (queue.count(1) > 0) {
    ms += ROUND_TRIPS_TO_OPEN * ROUND_TRIP_MS;
    let refusedInSession = 0;
    let isLast = false;
    while (queue.count(1) > 0 && !isLast) {
      const maxRefusals = BUDGET - refusedInSession;
      const isLong = queue.count(LONG_QUEUE) >= LONG_QUEUE;
      if (maxRefusals <= 0 || (maxRefusals < MIN_REFUSALS_LEFT && isLong)) break;
      const room = roomForBatch(refusals, {
        maxRecipients: PIPELINED_BATCH,
        maxRefusals,
        maxUnconfirmed: Number.POSITIVE_INFINITY, // a mailbox is known
        oneDomainPerTransaction: false,
        risk: riskAmong(1),
      });
      const groups = queue.take({ host: HOST, room, recipientsPerTransaction, withUnneededDecoys: true });
      const batch = inSendingOrder(groups, refusals).flat();
      const estimate = refusals.batch();
      for (const { domain, isDecoy } of batch) estimate.add(domain, isDecoy ? 0 : 1, isDecoy ? 1 : 0);
      isLast =
        refusedInSession + estimate.expectedRefusals > BUDGET - lastRefusalsLeft(BUDGET) &&
        queue.count(LONG_QUEUE) >= LONG_QUEUE;
      ms += ROUND_TRIP_MS;
      let delayedReplies = 0;
      const answers = batch.map(({ domain, isDecoy, recipient }) => {
        const isRefused = refused.has(recipient);
        if (refusedInSession > BUDGET) delayedReplies++;
        if (isRefused) refusedInSession++;
        return { domain, isDecoy, isRefused };
      });
      refusals.record(answers);
      ms += delayedReplies * DELAY_MS;
      if (delayedReplies > 0) delayedSessions++;
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
