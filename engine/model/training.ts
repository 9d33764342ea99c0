/** From material to weights: train, quantise, calibrate. */
import { createFeatureVector, extractFeatures } from "#src/plausibility/name-model/local-part-features";
import { logitOf } from "#src/plausibility/name-model/name-model";
import type { Weights } from "#src/plausibility/name-model/name-weights";
import { FOLDS, foldOf } from "./corpus.ts";
import { fitLogistic, fitPlatt } from "./logistic.ts";
import { foldedRows, foldOfMaterial, knowledgeOf, type Material, type Row, rowsOf } from "./training-set.ts";

export type TrainingOptions = {
  method: string;
  dataOf: string;
  rows: number;
  epochs: number;
  rate: number;
  calibrationRows: number;
  seed: number;
};

export function trainWeights(material: Material, calibration: Material, options: TrainingOptions): Weights {
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    foldOfMaterial(material, (token) => foldOf(token) === fold),
  );
  const without = folds.map((_, fold) =>
    knowledgeOf(foldOfMaterial(material, (token) => foldOf(token) !== fold)),
  );
  const fit = fitLogistic(foldedRows(material, folds, options.rows, options.seed), without, options);

  const tableScale = Math.fround(quantile(fit.table, 0.9995) / 127);
  const weights: Weights = {
    method: options.method,
    dataOf: options.dataOf,
    table: Int8Array.from(fit.table, (weight) =>
      Math.max(-127, Math.min(127, Math.round(weight / tableScale))),
    ),
    tableScale,
    head: Float64Array.from(fit.head, Math.fround),
    tables: knowledgeOf(material),
    slope: 1,
    intercept: 0,
  };
  return {
    ...weights,
    ...calibrated(weights, rowsOf(calibration, options.calibrationRows, options.seed + 1)),
  };
}

function calibrated(weights: Weights, rows: readonly Row[]): Pick<Weights, "slope" | "intercept"> {
  const reading = createFeatureVector();
  const logits: number[] = [];
  const chosen: boolean[] = [];
  for (const row of rows) {
    if (!extractFeatures(row.local, weights.tables, reading)) continue;
    logits.push(logitOf(reading, weights));
    chosen.push(row.chosen);
  }
  const { slope, intercept } = fitPlatt(logits, chosen);
  return { slope: Math.round(slope * 1e4) / 1e4, intercept: Math.round(intercept * 1e4) / 1e4 };
}

/** Of the absolute values. */
function quantile(values: Float64Array, share: number): number {
  return Float64Array.from(values, Math.abs).sort()[Math.floor(values.length * share)]!;
}
