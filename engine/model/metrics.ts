/** Quality of scores: ranking (AUC) and calibration (ECE, Brier, reliability table). */

/** Probability that a chosen name scores above a fake; ties count half. */
export function aucOf(chosen: readonly number[], fakes: readonly number[]): number {
  const all = [
    ...chosen.map((score) => ({ score, chosen: 1 })),
    ...fakes.map((score) => ({ score, chosen: 0 })),
  ];
  all.sort((a, b) => a.score - b.score);
  let ranks = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    while (to < all.length && all[to]!.score === all[from]!.score) to++;
    for (let i = from; i < to; i++) if (all[i]!.chosen === 1) ranks += (from + 1 + to) / 2;
    from = to;
  }
  return (ranks - (chosen.length * (chosen.length + 1)) / 2) / (chosen.length * fakes.length);
}

export type Bin = { from: number; to: number; count: number; said: number; true: number };

/** Ten bins of equal width; chosen and fakes have the same total weight, however many of each there are. */
export function reliabilityOf(
  chosen: readonly number[],
  fakes: readonly number[],
): { bins: Bin[]; ece: number; brier: number } {
  const bins = Array.from({ length: 10 }, (_, i) => ({
    from: i / 10,
    to: (i + 1) / 10,
    count: 0,
    said: 0,
    true: 0,
    weight: 0,
  }));
  let brier = 0;
  const add = (score: number, truth: number, weight: number) => {
    const bin = bins[Math.min(9, Math.floor(score * 10))]!;
    bin.count++;
    bin.weight += weight;
    bin.said += weight * score;
    bin.true += weight * truth;
    brier += weight * (score - truth) ** 2;
  };
  for (const score of chosen) add(score, 1, 0.5 / chosen.length);
  for (const score of fakes) add(score, 0, 0.5 / fakes.length);
  const ece = bins.reduce((sum, bin) => sum + Math.abs(bin.said - bin.true), 0);
  return {
    bins: bins.map(({ weight, said, true: truth, ...bin }) => ({
      ...bin,
      said: weight === 0 ? Number.NaN : said / weight,
      true: weight === 0 ? Number.NaN : truth / weight,
    })),
    ece,
    brier,
  };
}

export function shareUnder(scores: readonly number[], limit: number): number {
  return scores.filter((score) => score < limit).length / Math.max(1, scores.length);
}
