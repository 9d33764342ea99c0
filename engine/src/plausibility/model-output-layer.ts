/**
 * From a reading's measures and the sum over its letters to one number: a straight line and a few bent ones.
 *
 * A measure means different things in different company: eight surprising letters are an id, four are initials. The
 * hidden units are there for that.
 */
import { MEASURES } from "./local-part-shape.ts";

/** The measures, then the sum over the table of letter runs. */
export const INPUTS = MEASURES.length + 1;
export const HIDDEN = 12;
/** First the straight line, then for each hidden unit a weight per input and the weight of what comes out. */
export const PLAIN = INPUTS;
export const HEAD_SIZE = PLAIN + HIDDEN * (INPUTS + 1);
/** The sum over the table is some times as large as a measure. */
export const LETTERS_SCALE = 0.25;

/** `hidden` receives what each hidden unit says, which training wants to know. */
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
