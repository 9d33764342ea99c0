/**
 * Feature extraction for name-model.ts and for training.
 *
 * At most 64 characters become symbols (local-part-symbols.ts). Every symbol bigram and trigram has a weight in a
 * table; the other features are the shape (local-part-shape.ts) and known words (known-word-features.ts). Training
 * and scoring share these files, so a change here needs new weights.
 */

import { type ModelTables, measureKnownWords } from "./known-word-features.ts";
import { MEASURES, measureShape } from "./local-part-shape.ts";
import { createSymbols, MAX_SYMBOLS, readSymbols, type Symbols } from "./local-part-symbols.ts";

/** Must change with any change to a feature. The weights file carries it, and is rejected when it differs. */
export const FEATURE_VERSION = 1;

/** Every symbol bigram and trigram has its own weight. */
const PAIRS = 32 ** 2;
export const TABLE_SIZE = PAIRS + 32 ** 3;

/** Reused for every local part, so that scoring a list allocates nothing. */
export type FeatureVector = {
  symbols: Symbols;
  /** Indexes into the weight table; the first `runs` are valid. */
  indexes: Int32Array;
  ngramCount: number;
  measures: Float64Array;
};

export function createFeatureVector(): FeatureVector {
  return {
    symbols: createSymbols(),
    indexes: new Int32Array((MAX_SYMBOLS + 2) * 2),
    ngramCount: 0,
    measures: new Float64Array(MEASURES.length),
  };
}

/** False if the local part is too short, or in a script the model was not trained on. */
export function extractFeatures(local: string, knowledge: ModelTables, features: FeatureVector): boolean {
  if (!readSymbols(local, features.symbols)) return false;
  indexNgrams(features);
  measureShape(features.symbols, features.measures);
  measureKnownWords(features.symbols, knowledge, features.measures);
  return true;
}

function indexNgrams(features: FeatureVector): void {
  const { indexes } = features;
  const { codes, length } = features.symbols;
  let runs = 0;
  let packed = codes[0]!;
  for (let at = 1; at <= length + 1; at++) {
    packed = ((packed << 5) | codes[at]!) & 0x7fff;
    indexes[runs++] = packed & 0x3ff;
    if (at > 1) indexes[runs++] = PAIRS + packed;
  }
  features.ngramCount = runs;
}
