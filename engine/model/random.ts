/** Deterministic random numbers: one seed, one sequence. */

export type Random = {
  /** 0 up to, not including, 1. */
  unit(): number;
  below(limit: number): number;
  /** Both ends included. */
  between(low: number, high: number): number;
  pick<T>(from: ArrayLike<T>): T;
  /** Each with the probability of its share; the shares need not add up to one. */
  pickByShare<T>(from: readonly (readonly [item: T, share: number])[]): T;
  chance(share: number): boolean;
};

/** The generator is mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(unit() * limit);
  return {
    unit,
    below,
    between: (low, high) => low + below(high - low + 1),
    pick: (from) => from[below(from.length)]!,
    pickByShare: (from) => {
      let rest = unit() * from.reduce((sum, [, share]) => sum + share, 0);
      for (const [item, share] of from) {
        rest -= share;
        if (rest < 0) return item;
      }
      return from[0]![0];
    },
    chance: (share) => unit() < share,
  };
}

/** In place. */
export function shuffle<T>(items: T[], random: Random): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
  return items;
}
