/**
 * How much a local part looks like something a person or an organisation would choose, by the look of it alone.
 *
 * A logistic model over the features of local-part-features.ts. Its weights are made by `npm run model:train` and
 * measured by `npm run model:evaluate`; docs/ai.md says what the score claims and what it does not. It knows nothing
 * of mailboxes: a name that nobody has is as plausible as one that somebody has.
 */
import { readFileSync } from "node:fs";
import { type MachineForm, machineFormOf } from "./generated-local-part.ts";
import { createReading, type FeatureVector, readLocalPart } from "./local-part-features.ts";
import { AT } from "./local-part-shape.ts";
import { HIDDEN, headLogit } from "./model-output-layer.ts";
import { readWeights, type Weights } from "./name-weights.ts";

/** What gave the impression, as stable words; sentences are made of them elsewhere. */
export type Trait =
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

export type NameOpinion = {
  /** 0 to 1, calibrated: the chance that a person or an organisation chose this rather than a machine or a fist on a keyboard. */
  score: number;
  traits: readonly Trait[];
};

export type NameModel = {
  /** Name and version. */
  readonly method: string;
  /** Undefined: no opinion, because it is too short, in letters the model has not learned, or could be anything. */
  judge(local: string): NameOpinion | undefined;
};

/** The packaged model, read once. */
export function loadNameModel(): NameModel {
  packaged ??= nameModelFrom(
    readWeights(readFileSync(new URL("../../data/name-model.bin", import.meta.url))),
  );
  return packaged;
}

let packaged: NameModel | undefined;

/** What is known without the model. A bare number may be somebody's telephone; envelopes are no mailboxes of their own. */
const OF_FORM: Readonly<Record<MachineForm, NameOpinion | undefined>> = {
  uuid: { score: 0.005, traits: ["machine_made"] },
  digest: { score: 0.005, traits: ["machine_made"] },
  row_run: { score: 0.005, traits: ["keyboard_walk"] },
  number: undefined,
  envelope: undefined,
};

export function nameModelFrom(weights: Weights): NameModel {
  const reading = createReading();
  return {
    method: weights.method,
    judge(local) {
      const form = machineFormOf(local);
      if (form !== undefined) return OF_FORM[form];
      if (!readLocalPart(local, weights.knowledge, reading)) return undefined;
      const score = scoreOf(reading, weights);
      return { score, traits: traitsOf(reading, score) };
    },
  };
}

export function scoreOf(reading: FeatureVector, weights: Weights): number {
  const logit = logitOf(reading, weights);
  return 1 / (1 + Math.exp(-(weights.slope * logit + weights.intercept)));
}

/** Before calibration. */
export function logitOf({ places, runs, measures }: FeatureVector, weights: Weights): number {
  let sum = 0;
  for (let i = 0; i < runs; i++) sum += weights.table[places[i]!]!;
  return headLogit((sum * weights.tableScale) / Math.sqrt(runs), measures, weights.head, hidden);
}

const hidden = new Float64Array(HIDDEN);

const NONE: readonly Trait[] = [];
/** When it looks random: each measure from which on it is worth a word. */
const AGAINST: readonly (readonly [Trait, number, from: number])[] = [
  ["hexadecimal", AT.hexadecimal, 1],
  ["keyboard_walk", AT.keyboard_walk, 4 / 3],
  ["keyboard_walk", AT.keyboard_share, 0.6],
  ["long_number", AT.many_digits_last, 1],
  ["repetition", AT.period_share, 0.75],
  ["repetition", AT.doubled_share, 0.5],
  ["few_vowels", AT.few_vowels, 1],
  ["consonant_run", AT.long_consonant_run, 1],
];
const KNOWN_SHARE = AT.known_share;

function traitsOf({ measures }: FeatureVector, score: number): readonly Trait[] {
  if (score >= 0.5) {
    if (measures[KNOWN_SHARE]! >= 0.8) return FULLY_KNOWN;
    return score >= 0.65 ? NAME_LIKE : NONE;
  }
  const traits: Trait[] = [];
  for (const [trait, measure, from] of AGAINST) {
    if (measures[measure]! >= from && !traits.includes(trait)) traits.push(trait);
  }
  if (traits.length === 0 && score < 0.35) traits.push("random_letters");
  return traits;
}

const FULLY_KNOWN: readonly Trait[] = ["known_parts", "name_like"];
const NAME_LIKE: readonly Trait[] = ["name_like"];
