/**
 * Every word that one slip of the fingers turns into the typed one: letters swapped, one too many, one missing, one
 * other. For looking each up among words that are known; how likely a slip is, typo-cost.ts knows.
 *
 * Some fifty words for each letter typed, whatever the number of known words: nothing needs an index, and a list of a
 * hundred thousand domains is not compared with itself.
 */

export function* slipsBehind(typed: string, alphabet: string): Generator<string> {
  for (let i = 0; i <= typed.length; i++) {
    const [before, after] = [typed.slice(0, i), typed.slice(i)];
    for (const letter of alphabet) {
      yield before + letter + after; // was left out
      if (i < typed.length && letter !== typed[i]) yield before + letter + after.slice(1); // was hit wrongly
    }
    if (i === typed.length) return;
    yield before + after.slice(1); // was not meant at all
    if (i + 1 < typed.length && typed[i] !== typed[i + 1])
      yield before + typed[i + 1] + typed[i] + after.slice(2);
  }
}
