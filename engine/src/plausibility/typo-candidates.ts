/**
 * All words that are one typo away from the typed one: transposition, insertion, deletion, substitution. To be looked
 * up among known words; typo-cost.ts rates how likely each typo is.
 *
 * About fifty candidates per letter, however many words are known: no index is needed, and a list of a hundred
 * thousand domains is not compared with itself.
 */

export function* typoCandidates(typed: string, alphabet: string): Generator<string> {
  for (let i = 0; i <= typed.length; i++) {
    const [before, after] = [typed.slice(0, i), typed.slice(i)];
    for (const letter of alphabet) {
      yield before + letter + after; // was left out
      if (i < typed.length && letter !== typed[i]) yield before + letter + after.slice(1); // was mistyped
    }
    if (i === typed.length) return;
    yield before + after.slice(1); // was surplus
    if (i + 1 < typed.length && typed[i] !== typed[i + 1])
      yield before + typed[i + 1] + typed[i] + after.slice(2);
  }
}
