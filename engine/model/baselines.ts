/** Baselines for the model: each scores a local part, higher for what looks chosen. */

export const BASELINES: Readonly<Record<string, (local: string) => number>> = {
  "low entropy per letter": (local) => -entropyOf(local) / Math.log2(local.length),
  "vowel share near 40 %": (local) => {
    const letters = local.toLowerCase().replace(/[^a-z]/g, "");
    const vowels = letters.replace(/[^aeiouy]/g, "").length;
    return letters.length === 0 ? -1 : -Math.abs(vowels / letters.length - 0.4);
  },
  "short length": (local) => -local.length,
};

function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) entropy -= (count / text.length) * Math.log2(count / text.length);
  return entropy;
}
