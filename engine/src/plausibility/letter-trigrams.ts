/**
 * Letter trigram model of names: the probability of each letter after the two before it, counted over the lexicon.
 *
 * Trained from the lexicon's bytes while it is read; probabilities are computed on first use.
 */

export class LetterTrigrams {
  readonly #counts = new Uint32Array(SYMBOLS ** 3);
  #chances: Float64Array | undefined;

  /** Counts the name in bytes[from, to), lower case letters, `times` times. */
  learn(bytes: Uint8Array, from: number, to: number, times: number): void {
    const counts = this.#counts;
    let [twoBefore, before] = [0, 0]; // both the edge
    for (let at = from; at < to; at++) {
      const symbol = bytes[at]! - BEFORE_A;
      counts[(twoBefore * SYMBOLS + before) * SYMBOLS + symbol]! += times;
      twoBefore = before;
      before = symbol;
    }
    counts[(twoBefore * SYMBOLS + before) * SYMBOLS]! += times;
  }

  /** Probability of this name, its end included. 0 for anything but lower case letters. */
  chanceOf(name: string): number {
    this.#chances ??= chancesFrom(this.#counts);
    const chances = this.#chances;
    let [twoBefore, before] = [0, 0];
    let chance = 1;
    for (let at = 0; at < name.length; at++) {
      const symbol = name.charCodeAt(at) - BEFORE_A;
      if (symbol < 1 || symbol >= SYMBOLS) return 0;
      chance *= chances[(twoBefore * SYMBOLS + before) * SYMBOLS + symbol]!;
      twoBefore = before;
      before = symbol;
    }
    return chance * chances[(twoBefore * SYMBOLS + before) * SYMBOLS]!;
  }

  chanceOfInitial(letter: string): number {
    this.#chances ??= chancesFrom(this.#counts);
    return this.#chances[letter.charCodeAt(0) - BEFORE_A] ?? 0;
  }
}

/** An edge, then a to z. */
const SYMBOLS = 27;
const BEFORE_A = 0x60;

/** Smoothing: rare contexts fall back on the shorter one, with the weight of this many observations. */
const SMOOTHING_WEIGHT = 8;

function chancesFrom(counts: Uint32Array): Float64Array {
  const pairs = new Float64Array(SYMBOLS ** 2);
  const singles = new Float64Array(SYMBOLS);
  let total = 0;
  for (let i = 0, pair = 0; i < counts.length; i++, pair = pair + 1 < pairs.length ? pair + 1 : 0) {
    pairs[pair]! += counts[i]!;
    total += counts[i]!;
  }
  for (let pair = 0; pair < pairs.length; pair++) singles[pair % SYMBOLS]! += pairs[pair]!;
  const single = (symbol: number) => (singles[symbol]! + 1) / (total + SYMBOLS);
  const chances = new Float64Array(counts.length);
  for (let context = 0; context < SYMBOLS ** 2; context++) {
    const before = context % SYMBOLS;
    let seen = 0;
    let seenBefore = 0;
    for (let symbol = 0; symbol < SYMBOLS; symbol++) {
      seen += counts[context * SYMBOLS + symbol]!;
      seenBefore += pairs[before * SYMBOLS + symbol]!;
    }
    for (let symbol = 0; symbol < SYMBOLS; symbol++) {
      const byOne =
        (pairs[before * SYMBOLS + symbol]! + SMOOTHING_WEIGHT * single(symbol)) /
        (seenBefore + SMOOTHING_WEIGHT);
      chances[context * SYMBOLS + symbol] =
        (counts[context * SYMBOLS + symbol]! + SMOOTHING_WEIGHT * byOne) / (seen + SMOOTHING_WEIGHT);
    }
  }
  return chances;
}
