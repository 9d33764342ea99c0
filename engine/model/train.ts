/**
 * Builds engine/data/name-model.bin. The same packages and the same code give the same bytes.
 *
 *   npm run model:train
 */
import { writeFileSync } from "node:fs";
import { writeWeights } from "#src/plausibility/name-model/name-weights";
import { trainWeights } from "./training.ts";
import { knownTokens, materialOf } from "./training-set.ts";

const OPTIONS = {
  method: "mailvet-names-1",
  /** The date the packages were pinned, not of the run: that would change the bytes. */
  dataOf: "2026-11-15",
  rows: 1_000_000,
  epochs: 1,
  rate: 0.1,
  calibrationRows: 100_000,
  seed: 20261115,
};

const material = await materialOf("train");
const weights = trainWeights(material, await materialOf("calibrate"), OPTIONS);
const file = writeWeights(weights);
writeFileSync(new URL("../data/name-model.bin", import.meta.url), file);
const known = knownTokens(material).size;
console.log(
  `${weights.method}: ${OPTIONS.rows.toLocaleString("en")} rows, ${known.toLocaleString("en")} known names and words`,
);
console.log(
  `${file.length.toLocaleString("en")} bytes; slope ${weights.slope}, intercept ${weights.intercept}`,
);
