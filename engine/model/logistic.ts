/** Trains the weights with Adagrad, row by row, and fits Platt scaling. */

import type { ModelTables } from "#src/plausibility/name-model/known-word-features";
import {
  createFeatureVector,
  extractFeatures,
  TABLE_SIZE,
} from "#src/plausibility/name-model/local-part-features";
import {
  HEAD_SIZE,
  HIDDEN,
  headLogit,
  INPUTS,
  LETTERS_SCALE,
  PLAIN,
} from "#src/plausibility/name-model/output-layer";
import { createRandom } from "./random.ts";
import type { FoldedRow } from "./training-set.ts";

export type Fit = { table: Float64Array; head: Float64Array };

export type FitOptions = { epochs: number; rate: number; seed: number };

export function fitLogistic(
  rows: readonly FoldedRow[],
  knowledge: readonly ModelTables[],
  options: FitOptions,
): Fit {
  const random = createRandom(options.seed);
  const table = new Float64Array(TABLE_SIZE);
  const head = Float64Array.from({ length: HEAD_SIZE }, (_, i) =>
    i < PLAIN ? 0 : (random.unit() - 0.5) * 0.6,
  );
  const tableSquares = new Float64Array(table.length).fill(1e-2);
  const headSquares = new Float64Array(head.length).fill(1e-1);
  const gradients = new Float64Array(head.length);
  const reading = createFeatureVector();
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    const rate = options.rate / (1 + epoch);
    for (const { local, chosen, fold } of rows) {
      if (!extractFeatures(local, knowledge[fold]!, reading)) continue;
      const { indexes, ngramCount, measures } = reading;
      const value = 1 / Math.sqrt(ngramCount);
      let letters = 0;
      for (let i = 0; i < ngramCount; i++) letters += table[indexes[i]!]!;
      letters *= value;
      const logit = headLogit(letters, measures, head, hidden);
      const error = 1 / (1 + Math.exp(-logit)) - (chosen ? 1 : 0);

      let pull = error; // derivative of the logit by the table sum
      for (let i = 0; i < INPUTS - 1; i++) gradients[i] = error * measures[i]!;
      gradients[INPUTS - 1] = 0; // the table sum enters with weight one
      for (let unit = 0; unit < HIDDEN; unit++) {
        const from = PLAIN + unit * (INPUTS + 1);
        const out = from + INPUTS;
        gradients[out] = error * hidden[unit]!;
        const back = hidden[unit]! > 0 ? error * head[out]! : 0;
        for (let i = 0; i < INPUTS - 1; i++) gradients[from + i] = back * measures[i]!;
        gradients[from + INPUTS - 1] = back * letters * LETTERS_SCALE;
        pull += back * head[from + INPUTS - 1]! * LETTERS_SCALE;
      }
      const slope = pull * value;
      for (let i = 0; i < ngramCount; i++) {
        const place = indexes[i]!;
        tableSquares[place]! += slope * slope;
        table[place]! -= (rate * slope) / Math.sqrt(tableSquares[place]!);
      }
      for (let i = 0; i < head.length; i++) {
        const gradient = gradients[i]!;
        if (gradient === 0) continue;
        headSquares[i]! += gradient * gradient;
        head[i]! -= (rate * gradient) / Math.sqrt(headSquares[i]!);
      }
    }
  }
  return { table, head };
}

const hidden = new Float64Array(HIDDEN);

/** Slope and intercept that calibrate the logits, by Newton's method. */
export function fitPlatt(
  logits: readonly number[],
  chosen: readonly boolean[],
): { slope: number; intercept: number } {
  let slope = 1;
  let intercept = 0;
  for (let round = 0; round < 50; round++) {
    let [gradientSlope, gradientIntercept, ss, si, ii] = [0, 0, 1e-9, 0, 1e-9];
    for (let i = 0; i < logits.length; i++) {
      const logit = logits[i]!;
      const score = 1 / (1 + Math.exp(-(slope * logit + intercept)));
      const error = score - (chosen[i] ? 1 : 0);
      const weight = score * (1 - score);
      gradientSlope += error * logit;
      gradientIntercept += error;
      ss += weight * logit * logit;
      si += weight * logit;
      ii += weight;
    }
    const determinant = ss * ii - si * si;
    const stepSlope = (ii * gradientSlope - si * gradientIntercept) / determinant;
    const stepIntercept = (ss * gradientIntercept - si * gradientSlope) / determinant;
    slope -= stepSlope;
    intercept -= stepIntercept;
    if (Math.abs(stepSlope) + Math.abs(stepIntercept) < 1e-9) break;
  }
  return { slope, intercept };
}
