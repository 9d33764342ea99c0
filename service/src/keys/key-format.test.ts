import fc from "fast-check";
import { expect, test } from "vitest";
import { generateKeyText, hashOf, isWellFormed, modeOf, prefixOf } from "./key-format.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test("a generated key names its mode, is unique, and is well formed", () => {
  const live = Array.from({ length: 200 }, () => generateKeyText("live"));
  expect(new Set(live).size).toBe(200);
  for (const text of live) {
    expect(text).toMatch(/^mv_live_[0-9A-Za-z]{38}$/);
    expect(isWellFormed(text)).toBe(true);
    expect(modeOf(text)).toBe("live");
  }
  const trial = generateKeyText("test");
  expect(trial).toMatch(/^mv_test_/);
  expect(modeOf(trial)).toBe("test");
});

test("digits are uniformly distributed in the random part", () => {
  const counts = new Map<string, number>();
  for (let round = 0; round < 600; round++) {
    for (const digit of generateKeyText("live").slice(8, 40)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  }
  expect(counts.size).toBe(62);
  const expected = (600 * 32) / 62; // about 310 each; six standard deviations are about 105
  for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(105);
});

test("the checksum is the CRC-32 of the preceding characters", () => {
  // zlib.crc32 of the first 40 characters, written with the digits 0-9 A-Z a-z:
  // python3 -c 'import zlib; print(zlib.crc32(b"mv_live_" + b"0" * 32))' says 3598479032
  expect(isWellFormed(`mv_live_${"0".repeat(32)}3vWqmO`)).toBe(true);
});

test("one wrong character is detected", () => {
  const typo = fc.record({
    mode: fc.constantFrom("live" as const, "test" as const),
    at: fc.integer({ min: 8, max: 45 }),
    typed: fc.constantFrom(...ALPHABET),
  });
  fc.assert(
    fc.property(typo, ({ mode, at, typed }) => {
      const text = generateKeyText(mode);
      fc.pre(text[at] !== typed);
      expect(isWellFormed(text.slice(0, at) + typed + text.slice(at + 1))).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test("two swapped characters are detected", () => {
  fc.assert(
    fc.property(fc.integer({ min: 8, max: 44 }), (at) => {
      const text = generateKeyText("live");
      const [one, two] = [text[at]!, text[at + 1]!];
      if (one !== two) expect(isWellFormed(text.slice(0, at) + two + one + text.slice(at + 2))).toBe(false);
    }),
  );
});

test.each([
  ["twenty characters that an operator chose", "correct-horse-staple", true],
  ["spaces inside it", "correct horse battery staple", true],
  ["512 characters", "k".repeat(512), true],
  ["513 characters", "k".repeat(513), false],
  ["19 characters", "correct-horse-stapl", false],
  ["nothing", "", false],
  ["a space at its end, which no header keeps", "correct-horse-staple ", false],
  ["letters a header cannot carry", "schöne-grüße-aus-münchen", false],
  ["a line break", "correct-horse\nbattery-staple", false],
  ["the prefix of generated keys, chosen by an operator", "mv_live_my-own-idea-of-a-key", true],
])("a key with %s", (_, text, isPossible) => {
  expect(isWellFormed(text)).toBe(isPossible);
});

test("the stored hash and prefix do not reveal the key", () => {
  const text = generateKeyText("live");
  expect(hashOf(text)).toMatch(/^[0-9a-f]{64}$/);
  expect(prefixOf(text)).toBe(text.slice(0, 12));
  expect(prefixOf("correct-horse-staple")).toBe("corr");
});
