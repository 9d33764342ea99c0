/**
 * A local part as numbers: what name-model.ts weighs, and what training weighed.
 *
 * At most 64 characters become symbols (local-part-symbols.ts). Every two and three of them side by side have a place
 * in a table of weights; the rest are measures: what can be seen (local-part-shape.ts) and what is known
 * (known-word-features.ts). Training and judging share these files, so a change in them needs new weights.
 */

import { type Knowledge, measureKnowledge } from "./known-word-features.ts";
import { MEASURES, measureShape } from "./local-part-shape.ts";
import { createSymbols, MAX_SYMBOLS, readSymbols, type Symbols } from "./local-part-symbols.ts";

/** Changes with anything that changes a number. The weights carry it, and are refused when it differs. */
export const FEATURE_VERSION = 1;

/** Two and three symbols side by side each have a place of their own. */
const PAIRS = 32 ** 2;
export const TABLE_SIZE = PAIRS + 32 ** 3;

/** Filled anew by every reading, so that judging a list makes no garbage. */
export type FeatureVector = {
  symbols: Symbols;
  /** Places in the table; the first `runs` are filled. */
  places: Int32Array;
  runs: number;
  measures: Float64Array;
};

export function createReading(): FeatureVector {
  return {
    symbols: createSymbols(),
    places: new Int32Array((MAX_SYMBOLS + 2) * 2),
    runs: 0,
    measures: new Float64Array(MEASURES.length),
  };
}

/** False, when there is too little to read or it is written in letters the model was not trained on. */
export function readLocalPart(local: string, knowledge: Knowledge, reading: FeatureVector): boolean {
  if (!readSymbols(local, reading.symbols)) return false;
  placeRuns(reading);
  measureShape(reading.symbols, reading.measures);
  measureKnowledge(reading.symbols, knowledge, reading.measures);
  return true;
}

function placeRuns(reading: FeatureVector): void {
  const { places } = reading;
  const { codes, length } = reading.symbols;
  let runs = 0;
  let packed = codes[0]!;
  for (let at = 1; at <= length + 1; at++) {
    packed = ((packed << 5) | codes[at]!) & 0x7fff;
    places[runs++] = packed & 0x3ff;
    if (at > 1) places[runs++] = PAIRS + packed;
  }
  reading.runs = runs;
}
