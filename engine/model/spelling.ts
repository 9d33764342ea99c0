/**
 * Trains the spelling table: how surprising each letter is after the three before it.
 *
 * Counted over chosen names only, so it knows nothing of any kind of fake.
 */
import {
  MAX_SURPRISE,
  SPELLING_SIZE,
  SPELLING_SYMBOLS,
  SURPRISE_STEP,
} from "#src/plausibility/name-model/known-word-features";

/** Runs of plain letters, each with its weight. */
export function spellingOf(runs: Iterable<readonly [letters: string, weight: number]>): Uint8Array {
  const fours = new Float64Array(SPELLING_SIZE);
  for (const [letters, weight] of runs) {
    let context = 0;
    for (let i = 0; i <= letters.length; i++) {
      const symbol = i === letters.length ? 0 : letters.charCodeAt(i) - 0x60;
      fours[context * SPELLING_SYMBOLS + symbol]! += weight;
      context = (context % SPELLING_SYMBOLS ** 2) * SPELLING_SYMBOLS + symbol;
    }
  }
  // From the shortest context to the longest: each is smoothed by the one before.
  let chances: Float64Array = new Float64Array(SPELLING_SYMBOLS).fill(1 / SPELLING_SYMBOLS);
  for (let order = 1; order <= 4; order++) {
    const counts = shortened(fours, SPELLING_SYMBOLS ** order);
    chances = leaning(counts, chances);
  }
  return Uint8Array.from(chances, (chance) =>
    Math.min(MAX_SURPRISE, Math.round(-Math.log(chance) / SURPRISE_STEP)),
  );
}

/** Counts of the last letters only. */
function shortened(counts: Float64Array, size: number): Float64Array {
  const short = new Float64Array(size);
  for (let i = 0; i < counts.length; i++) short[i % size]! += counts[i]!;
  return short;
}

const LEANING = 5;

function leaning(counts: Float64Array, shorter: Float64Array): Float64Array {
  const chances = new Float64Array(counts.length);
  for (let context = 0; context < counts.length; context += SPELLING_SYMBOLS) {
    let total = 0;
    for (let symbol = 0; symbol < SPELLING_SYMBOLS; symbol++) total += counts[context + symbol]!;
    for (let symbol = 0; symbol < SPELLING_SYMBOLS; symbol++) {
      const place = context + symbol;
      chances[place] = (counts[place]! + LEANING * shorter[place % shorter.length]!) / (total + LEANING);
    }
  }
  return chances;
}
