import { expect, test } from "vitest";
import { typoCost, wholeWordTypoCost } from "./typo-cost.ts";

test("the same word costs nothing, an unrelated one is Infinity", () => {
  expect(typoCost("gmail", "gmail", 1)).toBe(0);
  expect(typoCost("zebra", "gmail", 1)).toBe(Infinity);
  expect(typoCost("", "gmail", 1)).toBe(Infinity);
});

test("likely typos cost less than unlikely ones", () => {
  const cost = (typed: string) => typoCost(typed, "hotmail", 3);
  expect(cost("hottmail")).toBeLessThan(cost("hotmial"));
  expect(cost("hotmial")).toBeLessThan(cost("hotnail"));
  expect(cost("hotnail")).toBeLessThan(cost("hotmil"));
  expect(cost("hotmil")).toBeLessThan(cost("hotqail"));
  expect(cost("hotqail")).toBeLessThan(cost("qotmail"));
});

test("costs add up, and become Infinity above the limit", () => {
  expect(typoCost("hotmial", "hotmail", 3)).toBeCloseTo(0.5);
  expect(typoCost("hottmial", "hotmail", 3)).toBeCloseTo(0.9);
  expect(typoCost("hottmial", "hotmail", 0.8)).toBe(Infinity);
});

test("overlong words are not compared", () => {
  expect(typoCost("a".repeat(100_000), "a".repeat(100_000 - 1), 9)).toBe(Infinity);
});

test("a held key costs hardly more than a doubled letter", () => {
  const doubled = typoCost("gmaill", "gmail", 3);
  expect(typoCost(`gmail${"l".repeat(6)}`, "gmail", 3)).toBeLessThan(doubled * 2);
  expect(typoCost(`gmail${"l".repeat(39)}`, "gmail", 3)).toBe(Infinity);
});

test("typos that affect the word as a whole are recognised", () => {
  for (const [typed, meant] of [
    ["xgmail", "gmail"],
    ["hotmailmail", "hotmail"],
    ["gimal", "gmail"],
    ["outlo", "outlook"],
  ] as const) {
    expect(wholeWordTypoCost(typed, meant), typed).toBeLessThan(1.2);
  }
  for (const [typed, meant] of [
    ["gmail", "gmailx"],
    ["xxgmail", "gmail"],
    ["ligma", "gmail"],
    ["gma", "gmail"],
    ["hotmailbox", "hotmail"],
    ["", "gmail"],
  ] as const) {
    expect(wholeWordTypoCost(typed, meant), typed).toBe(Infinity);
  }
});
