/**
 * File format of the name model's weights: a readable header, then binary.
 *
 *   4 bytes   length of the header, little-endian
 *   header    JSON: method, expected features, calibration
 *   head      weights of the output layer: 32-bit floats, little-endian
 *   table     one signed byte per symbol bigram and trigram, times the header's tableScale
 *   lexicon   Bloom filter of known names and words
 *   fives     Bloom filter of 5-grams shared by names and handles
 *   spelling  surprise of each letter after three others, two grades per byte
 */
import { createHash } from "node:crypto";
import { FIVES_BITS, LEXICON_BITS, type ModelTables, SPELLING_SIZE } from "./known-word-features.ts";
import { FEATURE_VERSION, TABLE_SIZE } from "./local-part-features.ts";
import { MEASURES } from "./local-part-shape.ts";
import { HEAD_SIZE, HIDDEN } from "./output-layer.ts";

export type Weights = {
  method: string;
  /** The date of the training data. */
  dataOf: string;
  table: Int8Array;
  tableScale: number;
  head: Float64Array;
  tables: ModelTables;
  /** Platt scaling: the score is the logistic of slope × logit + intercept. */
  slope: number;
  intercept: number;
};

type Header = {
  method: string;
  dataOf: string;
  features: typeof FEATURES;
  tableScale: number;
  slope: number;
  intercept: number;
  sha256: string;
};

/** What the code expects of a weights file. */
const FEATURES = {
  version: FEATURE_VERSION,
  table: TABLE_SIZE,
  lexiconBits: LEXICON_BITS,
  fivesBits: FIVES_BITS,
  hidden: HIDDEN,
  measures: MEASURES.join(" "),
};
const HEAD_BYTES = HEAD_SIZE * 4;
const SPELLING_BYTES = Math.ceil(SPELLING_SIZE / 2);
/** In file order. */
const SIZES = [HEAD_BYTES, TABLE_SIZE, 2 ** LEXICON_BITS / 8, 2 ** FIVES_BITS / 8, SPELLING_BYTES];

export function readWeights(file: Uint8Array): Weights {
  const size = new DataView(file.buffer, file.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(file.subarray(4, 4 + size))) as Header;
  if (JSON.stringify(header.features) !== JSON.stringify(FEATURES)) {
    throw new Error("The name model's weights were made for other features: run npm run model:train");
  }
  const body = new Uint8Array(file.subarray(4 + size)); // a copy, for the alignment of floats
  if (body.length !== SIZES.reduce((sum, bytes) => sum + bytes) || sha256(body) !== header.sha256) {
    throw new Error("The name model's weights are damaged");
  }
  const [head, table, lexicon, fives, spelling] = SIZES.map((bytes, i) => {
    const from = SIZES.slice(0, i).reduce((sum, before) => sum + before, 0);
    return body.subarray(from, from + bytes);
  });
  return {
    method: header.method,
    dataOf: header.dataOf,
    table: new Int8Array(table!.buffer, table!.byteOffset, TABLE_SIZE),
    tableScale: header.tableScale,
    head: Float64Array.from(new Float32Array(head!.buffer, head!.byteOffset, HEAD_SIZE)),
    tables: { lexicon: lexicon!, fives: fives!, spelling: unpacked(spelling!) },
    slope: header.slope,
    intercept: header.intercept,
  };
}

export function writeWeights(weights: Weights): Uint8Array {
  const { lexicon, fives, spelling } = weights.tables;
  const head = new Uint8Array(Float32Array.from(weights.head).buffer);
  const body = Buffer.concat([head, new Uint8Array(weights.table), lexicon, fives, packed(spelling)]);
  const header: Header = {
    method: weights.method,
    dataOf: weights.dataOf,
    features: FEATURES,
    tableScale: weights.tableScale,
    slope: weights.slope,
    intercept: weights.intercept,
    sha256: sha256(body),
  };
  const text = Buffer.from(JSON.stringify(header, undefined, 1));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(text.length);
  return Buffer.concat([size, text, body]);
}

function packed(grades: Uint8Array): Uint8Array {
  return Uint8Array.from(
    { length: SPELLING_BYTES },
    (_, i) => grades[2 * i]! | ((grades[2 * i + 1] ?? 0) << 4),
  );
}

function unpacked(bytes: Uint8Array): Uint8Array {
  const grades = new Uint8Array(SPELLING_SIZE);
  for (let i = 0; i < SPELLING_SIZE; i++) grades[i] = (bytes[i >> 1]! >> (4 * (i & 1))) & 15;
  return grades;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
