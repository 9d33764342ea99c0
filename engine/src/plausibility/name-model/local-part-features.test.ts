import { expect, test } from "vitest";
import { addKnown, emptyModelTables } from "./known-word-features.ts";
import { createFeatureVector, extractFeatures } from "./local-part-features.ts";
import { MEASURES, type Measure } from "./local-part-shape.ts";

const knowledge = emptyModelTables();
for (const name of ["john", "smith", "marie", "muller"]) addKnown(knowledge.lexicon, name);

test("case, accents and tags make no difference", () => {
  expect(read("JOHN.Smith")).toEqual(read("john.smith"));
  expect(read("John.Smith+news")).toEqual(read("john.smith"));
  expect(read("Müller")).toEqual(read("muller"));
  expect(read("møller")).toEqual(read("moller"));
  expect(read("müller+😀")).toEqual(read("muller"));
  expect(read("john.smith+пример")).toEqual(read("john.smith"));
  expect(read("e\u0301lodie")).toEqual(read("élodie"));
});

test("all digits are alike, except for years of birth", () => {
  expect(read("john17")).toEqual(read("john42"));
  expect(of("john1985", "year_last")).toBe(1);
  expect(of("john2003", "year_last")).toBe(1);
  expect(of("john7391", "year_last")).toBe(0);
  expect(of("john7391", "four_digits_last")).toBe(1);
});

test.each(["", "a", "ann", "+tag", "ann+a.long.tag", "иван", "张伟zhang", "jöhn-和"])(
  "%j has no features",
  (local) => {
    expect(read(local)).toBeUndefined();
  },
);

test("a name is found inside a longer one, and an initial next to it", () => {
  expect(of("johnsmith", "known_share")).toBe(1);
  expect(of("johnsmith", "all_known")).toBe(1);
  expect(of("jsmith", "known_and_initial")).toBe(1);
  expect(of("smith.j", "known_and_initial")).toBe(1);
  expect(of("xqsmithzv", "known_share")).toBeCloseTo(5 / 9);
  expect(of("qxzvkw", "known_share")).toBe(0);
});

test("keyboard layouts of three countries are known", () => {
  for (const walk of ["qwertyui", "qwertzui", "azertyui", "asdfghjk", "lkjhgfds"]) {
    expect(of(walk, "keyboard_share"), walk).toBe(1);
  }
  expect(of("marie", "keyboard_share")).toBeLessThan(0.3);
});

test("repetition is measured", () => {
  expect(of("abcabcabc", "period_share")).toBe(1);
  expect(of("xyxyxyxy", "period_share")).toBe(1);
  expect(of("aaaaaaaa", "doubled_share")).toBeGreaterThan(0.8);
  expect(of("johnsmith", "period_share")).toBeLessThan(0.2);
});

test("hostile input is processed within bounds", () => {
  const hostile = [
    "\ud800\ud800\ud800\ud800",
    "ann\udc00lee",
    "\0\0\0\0\0",
    "😀😀😀😀😀",
    "ß".repeat(10_000),
    "ﷺ".repeat(100),
    "a".repeat(1_000_000),
    `${"é".repeat(63)}ﬃ`,
    "a\u0301".repeat(500),
    '"quoted local"',
    "-._-._",
    "0000",
  ];
  for (const local of hostile) {
    const measures = read(local);
    if (measures) expect(Object.values(measures).every(Number.isFinite), local.slice(0, 20)).toBe(true);
  }
  expect(read("a".repeat(1_000_000))).toEqual(read("a".repeat(64)));
});

function read(local: string): Record<Measure, number> | undefined {
  const reading = createFeatureVector();
  if (!extractFeatures(local, knowledge, reading)) return undefined;
  return Object.fromEntries(MEASURES.map((name, i) => [name, reading.measures[i]!])) as Record<
    Measure,
    number
  >;
}

function of(local: string, measure: Measure): number {
  return read(local)![measure];
}
