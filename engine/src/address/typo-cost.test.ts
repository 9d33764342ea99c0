import { expect, test } from "vitest";
import { lostPlaceCost, typoCost } from "./typo-cost.ts";

test("the right word costs nothing, a strange one is out of reach", () => {
  expect(typoCost("gmail", "gmail", 1)).toBe(0);
  expect(typoCost("zebra", "gmail", 1)).toBe(Infinity);
  expect(typoCost("", "gmail", 1)).toBe(Infinity);
});

test("likely slips cost less than unlikely ones", () => {
  const cost = (typed: string) => typoCost(typed, "hotmail", 3);
  expect(cost("hottmail")).toBeLessThan(cost("hotmial"));
  expect(cost("hotmial")).toBeLessThan(cost("hotnail"));
  expect(cost("hotnail")).toBeLessThan(cost("hotmil"));
  expect(cost("hotmil")).toBeLessThan(cost("hotqail"));
  expect(cost("hotqail")).toBeLessThan(cost("qotmail"));
});

test("slips add up, and stop counting past the limit", () => {
  expect(typoCost("hotmial", "hotmail", 3)).toBeCloseTo(0.5);
  expect(typoCost("hottmial", "hotmail", 3)).toBeCloseTo(0.9);
  expect(typoCost("hottmial", "hotmail", 0.8)).toBe(Infinity);
});

test("endless words are not compared at all", () => {
  expect(typoCost("a".repeat(100_000), "a".repeat(100_000 - 1), 9)).toBe(Infinity);
});

test("a key held down costs hardly more than a letter doubled", () => {
  const doubled = typoCost("gmaill", "gmail", 3);
  expect(typoCost(`gmail${"l".repeat(6)}`, "gmail", 3)).toBeLessThan(doubled * 2);
  expect(typoCost(`gmail${"l".repeat(39)}`, "gmail", 3)).toBe(Infinity);
});

test("fingers that lost their place are recognised by the word as a whole", () => {
  for (const [typed, meant] of [
    ["xgmail", "gmail"],
    ["hotmailmail", "hotmail"],
    ["gimal", "gmail"],
    ["outlo", "outlook"],
  ] as const) {
    expect(lostPlaceCost(typed, meant), typed).toBeLessThan(1.2);
  }
  for (const [typed, meant] of [
    ["gmail", "gmailx"],
    ["xxgmail", "gmail"],
    ["ligma", "gmail"],
    ["gma", "gmail"],
    ["hotmailbox", "hotmail"],
    ["", "gmail"],
  ] as const) {
    expect(lostPlaceCost(typed, meant), typed).toBe(Infinity);
  }
});
