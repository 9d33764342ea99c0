/**
 * Scores how much a local part looks like something a person or an organisation would choose.
 *
 * A logistic model over the features of local-part-features.ts. Its weights are produced by `npm run model:train` and
 * evaluated by `npm run model:evaluate`; docs/ai.md says what the score claims and what it does not. It knows nothing
 * about existing mailboxes: an unused name is as plausible as a used one.
 */
import { readFileSync } from "node:fs";
import { type GeneratedForm, generatedFormOf } from "./generated-local-part.ts";
import { createFeatureVector, extractFeatures, type FeatureVector } from "./local-part-features.ts";
import { INDEX_OF } from "./local-part-shape.ts";
import { readWeights, type Weights } from "./name-weights.ts";
import { HIDDEN, headLogit } from "./output-layer.ts";

/** What influenced the score, as stable identifiers; plausibility-reasons.ts has the sentences. */
export type NameSignal =
  | "machine_made"
  | "keyboard_walk"
  | "hexadecimal"
  | "long_number"
  | "few_vowels"
  | "consonant_run"
  | "repetition"
  | "random_letters"
  | "known_parts"
  | "name_like";

export type NameScore = {
  /**
   * 0 to 1, calibrated: probability that a person or an organisation chose this name, rather than a generator or
   * random typing.
   */
  score: number;
  signals: readonly NameSignal[];
};

export type NameModel = {
  /** Name and version. */
  readonly method: string;
  /** Undefined if the name is too short, in an unsupported script, or could be anything. */
  judge(local: string): NameScore | undefined;
};

/** The packaged model, loaded once. */
export function loadNameModel(): NameModel {
  packaged ??= nameModelFrom(
    readWeights(readFileSync(new URL("../../../data/name-model.bin", import.meta.url))),
  );
  return packaged;
}

let packaged: NameModel | undefined;

/**
 * Scores of generated forms. A bare number may be a telephone number; envelope addresses are not mailboxes of their
 * own.
 */
const GENERATED_SCORES: Readonly<Record<GeneratedForm, NameScore | undefined>> = {
  uuid: { score: 0.005, signals: ["machine_made"] },
  digest: { score: 0.005, signals: ["machine_made"] },
  row_run: { score: 0.005, signals: ["keyboard_walk"] },
  number: undefined,
  envelope: undefined,
};

export function nameModelFrom(weights: Weights): NameModel {
  const features = createFeatureVector();
  return {
    method: weights.method,
    judge(local) {
      const form = generatedFormOf(local);
      if (form !== undefined) return GENERATED_SCORES[form];
      if (!extractFeatures(local, weights.tables, features)) return undefined;
      const score = scoreOf(features, weights);
      return { score, signals: signalsOf(features, score) };
    },
  };
}

function scoreOf(features: FeatureVector, weights: Weights): number {
  const logit = logitOf(features, weights);
  return 1 / (1 + Math.exp(-(weights.slope * logit + weights.intercept)));
}

/** Before calibration. */
export function logitOf({ indexes, ngramCount, measures }: FeatureVector, weights: Weights): number {
  let sum = 0;
  for (let i = 0; i < ngramCount; i++) sum += weights.table[indexes[i]!]!;
  return headLogit((sum * weights.tableScale) / Math.sqrt(ngramCount), measures, weights.head, hidden);
}

const hidden = new Float64Array(HIDDEN);

const NO_SIGNALS: readonly NameSignal[] = [];
/** For low scores: each signal with the feature value from which on it is reported. */
const NEGATIVE_SIGNALS: readonly (readonly [NameSignal, number, from: number])[] = [
  ["hexadecimal", INDEX_OF.hexadecimal, 1],
  ["keyboard_walk", INDEX_OF.keyboard_walk, 4 / 3],
  ["keyboard_walk", INDEX_OF.keyboard_share, 0.6],
  ["long_number", INDEX_OF.many_digits_last, 1],
  ["repetition", INDEX_OF.period_share, 0.75],
  ["repetition", INDEX_OF.doubled_share, 0.5],
  ["few_vowels", INDEX_OF.few_vowels, 1],
  ["consonant_run", INDEX_OF.long_consonant_run, 1],
];
const KNOWN_SHARE = INDEX_OF.known_share;

function signalsOf({ measures }: FeatureVector, score: number): readonly NameSignal[] {
  if (score >= 0.5) {
    if (measures[KNOWN_SHARE]! >= 0.8) return FULLY_KNOWN;
    return score >= 0.65 ? NAME_LIKE : NO_SIGNALS;
  }
  const signals: NameSignal[] = [];
  for (const [signal, measure, from] of NEGATIVE_SIGNALS) {
    if (measures[measure]! >= from && !signals.includes(signal)) signals.push(signal);
  }
  if (signals.length === 0 && score < 0.35) signals.push("random_letters");
  return signals;
}

const FULLY_KNOWN: readonly NameSignal[] = ["known_parts", "name_like"];
const NAME_LIKE: readonly NameSignal[] = ["name_like"];
