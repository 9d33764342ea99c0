/**
 * Estimates how many recipients of a batch a host will refuse, by its earlier answers.
 *
 * Postfix delays every reply by a second after the tenth error of a session, which costs more than many round trips, so a
 * batch must rarely have more refusals than are left. The mailboxes of one domain are often deleted together, so each
 * domain has a share of refusals of its own, with a beta distribution around the host's that its answers narrow.
 * `npm run bench:refusals` models what this costs and saves (docs/decisions/0003-own-smtp-client-and-host-throttling.md).
 */
import type { LRUCache } from "lru-cache";

/** How many were answered, and how many of those refused. */
export type AnswerCount = { answered: number; refused: number };

const NO_ANSWERS: Readonly<AnswerCount> = { answered: 0, refused: 0 };

/** Recent answers for the targets of each domain, at all hosts. */
export type DomainAnswers = Pick<LRUCache<string, AnswerCount>, "get" | "set">;

/**
 * How far the refusals of domains were from the expected number, squared, beyond chance; and what that would be if the
 * mailboxes of a domain were all alike (correlation 1).
 */
export class Spread {
  #beyondChance = 0;
  #ifAlike = 0;

  add(beyondChance: number, ifAlike: number): void {
    this.#beyondChance += beyondChance;
    this.#ifAlike += ifAlike;
    if (this.#ifAlike < RECENT_SPREAD) return;
    this.#beyondChance /= 2;
    this.#ifAlike /= 2;
  }

  /** What was seen, beside what was expected. */
  correlation(expected: number): number {
    const seen =
      (expected * WEIGHT_OF_EXPECTED_CORRELATION + this.#beyondChance) /
      (WEIGHT_OF_EXPECTED_CORRELATION + this.#ifAlike);
    return Math.min(MAX_CORRELATION, Math.max(MIN_CORRELATION, seen));
  }
}

export type RecipientAnswer = {
  domain: string;
  isDecoy: boolean;
  isRefused: boolean;
  /** A temporary refusal counts as an error of the session, and says nothing about the mailboxes of the domain. */
  isTemporary?: boolean;
};

/** Correlation of the mailboxes of a domain: before any answers, and its limits at any host. */
const EXPECTED_CORRELATION = 0.3;
const MIN_CORRELATION = 0.08;
const MAX_CORRELATION = 0.6; // above it, five acceptances would nearly prove a domain alive
/** In `ifAlike`: at a share of 0.2, five mailboxes at each of about ten domains weigh as much. */
const WEIGHT_OF_EXPECTED_CORRELATION = 30;
/** Answers of a host before its share is known well enough to tell chance from correlation. */
const MIN_ANSWERS_FOR_SPREAD = 20;
/** In `ifAlike`. From there on, what was seen before counts half. */
const RECENT_SPREAD = 3000;
const RECENT_ANSWERS = 400;
/** Fewer, because a list may be sorted so that the dead mailboxes of a domain are next to each other. */
const RECENT_ANSWERS_OF_DOMAIN = 100;

export class RefusalEstimate {
  readonly #domains: DomainAnswers;
  readonly #targets: AnswerCount = { ...NO_ANSWERS };
  readonly #decoys: AnswerCount = { ...NO_ANSWERS };
  readonly #spread = new Spread();
  /** At all hosts: whether mailboxes were deleted together depends on the list more than on the host. */
  readonly #spreadOfAll: Spread;

  constructor(domains: DomainAnswers, spreadOfAll: Spread) {
    this.#domains = domains;
    this.#spreadOfAll = spreadOfAll;
  }

  /** The share of recipients that the host refuses, decoys excluded. */
  get share(): number {
    return shareOf(this.#targets);
  }

  /** The share of its targets that is expected to be refused. */
  shareOfDomain(domain: string): number {
    const answers = this.#domains.get(domain) ?? NO_ANSWERS;
    return meanOf(shareIn(answers, this.share, this.#weightOfHost));
  }

  hasAnswersFor(domain: string): boolean {
    return this.#domains.get(domain) !== undefined;
  }

  /** An empty batch, to add recipients to. */
  batch(): BatchEstimate {
    const weight = this.#weightOfHost;
    const answersOf = (domain: string) => this.#domains.get(domain) ?? NO_ANSWERS;
    const { share } = this;
    const deviation = Math.sqrt((share * (1 - share)) / (this.#targets.answered + 2));
    const high = Math.min(1, share + QUADRATURE.distance * deviation);
    const given = (ofHost: number) => new BatchUnderShare(ofHost, weight, answersOf);
    return new BatchEstimate(given(share), given(high), shareOf(this.#decoys));
  }

  /** The answers to a batch. */
  record(batch: readonly RecipientAnswer[]): void {
    const byDomain = new Map<string, AnswerCount>();
    for (const { domain, isDecoy, isRefused, isTemporary } of batch) {
      if (isDecoy || isTemporary) continue;
      const ofDomain = byDomain.get(domain) ?? { ...NO_ANSWERS };
      add(ofDomain, { answered: 1, refused: isRefused ? 1 : 0 }, RECENT_ANSWERS_OF_DOMAIN);
      byDomain.set(domain, ofDomain);
    }
    for (const [domain, answers] of byDomain) if (!this.hasAnswersFor(domain)) this.#recordSpread(answers);
    for (const [domain, answers] of byDomain) {
      const ofDomain = this.#domains.get(domain) ?? { ...NO_ANSWERS };
      add(ofDomain, answers, RECENT_ANSWERS_OF_DOMAIN);
      this.#domains.set(domain, ofDomain);
    }
    for (const { isDecoy, isRefused } of batch)
      add(
        isDecoy ? this.#decoys : this.#targets,
        { answered: 1, refused: isRefused ? 1 : 0 },
        RECENT_ANSWERS,
      );
  }

  /** How many answers for a domain the share of the host counts as. */
  get #weightOfHost(): number {
    return 1 / this.#correlation - 1;
  }

  /** Never less than the minimum: a host without correlation so far may have a domain whose mailboxes are all gone. */
  get #correlation(): number {
    return this.#spread.correlation(this.#spreadOfAll.correlation(EXPECTED_CORRELATION));
  }

  /** From the first answers for a domain only: later ones are expected by its own share. */
  #recordSpread({ answered, refused }: AnswerCount): void {
    if (answered < 2 || this.#targets.answered < MIN_ANSWERS_FOR_SPREAD) return;
    const share = (this.#targets.refused + 0.5) / (this.#targets.answered + 1); // not the pessimistic one
    const variance = answered * share * (1 - share);
    const uncertainty = answered / (this.#targets.answered + 1);
    const beyondChance = (refused - answered * share) ** 2 - variance * (1 + uncertainty);
    for (const spread of [this.#spread, this.#spreadOfAll])
      spread.add(beyondChance, variance * (answered - 1));
  }
}

/** Pessimistic at first: a host without any answer so far may refuse every recipient. */
const shareOf = ({ answered, refused }: AnswerCount) => (refused + 1) / (answered + 1);

function add(recent: AnswerCount, { answered, refused }: AnswerCount, max: number): void {
  recent.answered += answered;
  recent.refused += refused;
  while (recent.answered >= max) {
    recent.answered /= 2;
    recent.refused /= 2;
  }
}

/**
 * The share of the host is uncertain itself while few were answered. Two values stand for its normal distribution: those of
 * a quadrature with three (Gauss–Hermite), of which the low one counts as the mean.
 */
const QUADRATURE = { distance: Math.sqrt(3), atMean: 5 / 6, atHigh: 1 / 6 };

/** At most so many refusals, except for a probability. */
export type RefusalLimit = { max: number; risk: number };

/** The refusals to expect in a batch, as recipients are added. */
export class BatchEstimate {
  readonly #atMean: BatchUnderShare;
  readonly #atHigh: BatchUnderShare;
  readonly #shareOfDecoys: number;
  #recipients = 0;
  #decoys = 0;

  constructor(atMean: BatchUnderShare, atHigh: BatchUnderShare, shareOfDecoys: number) {
    this.#atMean = atMean;
    this.#atHigh = atHigh;
    this.#shareOfDecoys = shareOfDecoys;
  }

  get recipients(): number {
    return this.#recipients;
  }

  get decoys(): number {
    return this.#decoys;
  }

  get expectedRefusals(): number {
    return this.#atMean.expectedRefusals + this.#decoys * this.#shareOfDecoys;
  }

  add(domain: string, targets: number, decoys: number): void {
    this.#atMean.add(domain, targets);
    this.#atHigh.add(domain, targets);
    this.#decoys += decoys;
    this.#recipients += targets + decoys;
  }

  /** Whether the batch with further recipients of a domain has at most `max` refusals, except for a small risk. */
  isWithin(
    { max, risk }: RefusalLimit,
    { domain, targets = 0, decoys = 0 }: { domain: string; targets?: number; decoys?: number },
  ): boolean {
    if (this.#recipients + targets + decoys <= max) return true;
    const ofDecoys = binomial(this.#decoys + decoys, this.#shareOfDecoys, max);
    const riskIn = (batch: BatchUnderShare) =>
      riskAbove(sumOf(batch.with(domain, targets, max), ofDecoys, max));
    const atHigh = QUADRATURE.atHigh * riskIn(this.#atHigh);
    return atHigh <= risk && atHigh + QUADRATURE.atMean * riskIn(this.#atMean) <= risk;
  }
}

/** Parameters of a beta distribution: refused and accepted mailboxes of a domain, those of the host's share included. */
type BetaShare = { refused: number; accepted: number };

/** That of a domain, by its answers and by the share of its host, which counts as `weight` answers. */
const shareIn = ({ answered, refused }: AnswerCount, ofHost: number, weight: number): BetaShare => ({
  refused: weight * ofHost + refused,
  accepted: weight * (1 - ofHost) + answered - refused,
});

const meanOf = ({ refused, accepted }: BetaShare) => refused / (refused + accepted);

/** Probabilities of 0, 1, 2 … refusals, up to a limit. */
type Distribution = readonly number[];

/** Refusals of the targets of a batch, if the host refuses a given share. */
class BatchUnderShare {
  readonly #share: number;
  readonly #weight: number;
  readonly #answersOf: (domain: string) => AnswerCount;
  readonly #domains = new Map<string, BetaShare & { targets: number }>();
  /** Of all domains but one. */
  #others: { of: string; max: number; distribution: Distribution } | undefined;

  constructor(share: number, weight: number, answersOf: (domain: string) => AnswerCount) {
    this.#share = share;
    this.#weight = weight;
    this.#answersOf = answersOf;
  }

  get expectedRefusals(): number {
    let expected = 0;
    for (const inBatch of this.#domains.values()) expected += inBatch.targets * meanOf(inBatch);
    return expected;
  }

  add(domain: string, targets: number): void {
    const inBatch = this.#inBatch(domain);
    inBatch.targets += targets;
    this.#domains.set(domain, inBatch);
    if (this.#others?.of !== domain) this.#others = undefined;
  }

  /** With further targets of a domain. */
  with(domain: string, targets: number, max: number): Distribution {
    const inBatch = this.#inBatch(domain);
    return sumOf(this.#without(domain, max), betaBinomial(inBatch.targets + targets, inBatch, max), max);
  }

  #inBatch(domain: string): BetaShare & { targets: number } {
    const known = this.#domains.get(domain);
    if (known) return known;
    return { targets: 0, ...shareIn(this.#answersOf(domain), this.#share, this.#weight) };
  }

  /** Kept, because a batch is asked about one domain many times. */
  #without(domain: string, max: number): Distribution {
    if (this.#others?.of === domain && this.#others.max === max) return this.#others.distribution;
    let distribution: Distribution = [1];
    for (const [other, share] of this.#domains)
      if (other !== domain) distribution = sumOf(distribution, betaBinomial(share.targets, share, max), max);
    this.#others = { of: domain, max, distribution };
    return distribution;
  }
}

const riskAbove = (distribution: Distribution) =>
  1 - distribution.reduce((sum, probability) => sum + probability, 0);

/** Refusals up to `max` among mailboxes of one domain. */
function betaBinomial(count: number, { refused, accepted }: BetaShare, max: number): Distribution {
  const rest = Math.max(accepted, Number.EPSILON);
  let probability = 1;
  for (let i = 0; i < count; i++) probability *= (rest + i) / (refused + rest + i);
  const probabilities = [probability];
  for (let i = 0; i < Math.min(count, max); i++) {
    probability *= ((count - i) / (i + 1)) * ((refused + i) / (rest + (count - i - 1)));
    probabilities.push(probability);
  }
  return probabilities;
}

export function binomial(count: number, share: number, max = count): Distribution {
  let distribution: Distribution = [1];
  for (let i = 0; i < count; i++) distribution = sumOf(distribution, [1 - share, share], max);
  return distribution;
}

/** Of two independent numbers, up to `max`. */
function sumOf(a: Distribution, b: Distribution, max: number): Distribution {
  if (b.length === 1 && b[0] === 1) return a;
  const sum = new Array<number>(Math.min(max, a.length + b.length - 2) + 1).fill(0);
  for (const [i, ofA] of a.entries()) {
    for (let j = 0; j < b.length && i + j <= max; j++) sum[i + j]! += ofA * b[j]!;
  }
  return sum;
}
