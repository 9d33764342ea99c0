/**
 * The output layer: from the features and the sum over the n-gram table to one logit, linear plus a small hidden
 * layer.
 *
 * A feature means different things in combination: eight surprising letters are an id, four are initials. The hidden
 * units model that.
 */
import { MEASURES } from "./local-part-shape.ts";

/** The features, then the sum over the n-gram table. */
export const INPUTS = MEASURES.length + 1;
export const HIDDEN = 12;
/** First the linear weights, then for each hidden unit a weight per input and its output weight. */
export const PLAIN = INPUTS;
export const HEAD_SIZE = PLAIN + HIDDEN * (INPUTS + 1);
/** Scales the n-gram sum to the range of the features. */
export const LETTERS_SCALE = 0.25;

/** `hidden` receives the activations, which training needs. */
export function headLogit(
  letters: number,
  measures: Float64Array,
  head: Float64Array,
  hidden: Float64Array,
): number {
  let logit = letters;
  for (let i = 0; i < INPUTS - 1; i++) logit += measures[i]! * head[i]!;
  for (let unit = 0, at = PLAIN; unit < HIDDEN; unit++, at += INPUTS + 1) {
    let sum = letters * LETTERS_SCALE * head[at + INPUTS - 1]!;
    for (let i = 0; i < INPUTS - 1; i++) sum += measures[i]! * head[at + i]!;
    const said = Math.max(sum, 0);
    hidden[unit] = said;
    logit += said * head[at + INPUTS]!;
  }
  return logit;
}
