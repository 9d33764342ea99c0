import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { aucOf, reliabilityOf, shareUnder } from "../../../model/metrics.ts";
import { loadNameModel, nameModelFrom } from "./name-model.ts";
import { readWeights, writeWeights } from "./name-weights.ts";

const model = loadNameModel();
const FILE = new URL("../../../data/name-model.bin", import.meta.url);

/** Written by `npm run model:evaluate -- --fixture`: names and kinds of fakes that training never saw. */
const heldOut = readFileSync(new URL("../../../model/held-out.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => line.split("\t") as [label: string, group: string, locals: string])
  .map(([label, group, locals]) => ({ label, group, scores: scored(locals.split(" ")) }));
const scoresOf = (label: string) =>
  heldOut.filter((set) => set.label === label).flatMap(({ scores }) => scores);

test("unseen names are separated from unseen kinds of random text", () => {
  expect(aucOf(scoresOf("chosen"), scoresOf("random"))).toBeGreaterThan(0.99);
  expect(aucOf(scoresOf("chosen"), scoresOf("pronounceable"))).toBeGreaterThan(0.87);
});

test("names are hardly ever scored as random, whatever their language", () => {
  expect(shareUnder(scoresOf("chosen"), 0.2)).toBeLessThan(0.03);
  for (const { label, group, scores } of heldOut) {
    if (label === "chosen") expect(shareUnder(scores, 0.2), group).toBeLessThan(0.1);
  }
});

// Unseen names are harder than people on average, so the evaluation's own figure is lower.
test("scores are calibrated", () => {
  expect(reliabilityOf(scoresOf("chosen"), scoresOf("random")).ece).toBeLessThan(0.065);
});

test.each([
  "john.smith",
  "krzysztof",
  "nguyenvan",
  "m.mueller",
  "oluwaseun",
  "satoshi.tanaka",
  "info",
  "dmitriy1985",
  "szczepanski",
])("%s reads like a name", (local) => {
  expect(model.judge(local)!.score).toBeGreaterThan(0.5);
});

test.each([
  ["asdfghjkl", "keyboard_walk"],
  ["qwertzuiop", "keyboard_walk"],
  ["a8f3d91b7c", "hexadecimal"],
  ["xkqz8812093", "long_number"],
  ["bcdfghjkm", "few_vowels"],
  ["xjxjxjxjxj", "repetition"],
  ["zqvaxewoqpii", "random_letters"],
])("%s does not, and the signal is reported", (local, signal) => {
  const score = model.judge(local)!;
  expect(score.score).toBeLessThan(0.2);
  expect(score.signals).toContain(signal);
});

test("signals in favour of a name are reported too", () => {
  expect(model.judge("john.smith")!.signals).toEqual(["known_parts", "name_like"]);
});

test.each(["ann", "jp", "иванов", "张伟", "", "+tag", "15550123", "srs0=abcd=ef=example.com=ann"])(
  "%j is not scored",
  (local) => {
    expect(model.judge(local)).toBeUndefined();
  },
);

test.each([
  ["d41d8cd98f00b204e9800998ecf8427e", "machine_made"],
  ["3f2504e0-4f89-11d3-9a0c-0305e82c3301", "machine_made"],
  ["asdf", "keyboard_walk"],
] as const)("%j is scored by its form, without the model", (local, signal) => {
  expect(model.judge(local)).toEqual({ score: expect.closeTo(0, 1), signals: [signal] });
});

test("the score does not depend on earlier names, on case or on tags", () => {
  const before = model.judge("maria.gonzalez");
  model.judge("zzzzzzzzzzzzzzzzzzzzzzzzzzzz");
  expect(model.judge("Maria.González+shop")).toEqual(before);
});

test("hostile input is scored within bounds or not at all", () => {
  for (const local of [
    "\ud800".repeat(200),
    "\0".repeat(70),
    "😀".repeat(50),
    "x".repeat(1_000_000),
    "ﷺ".repeat(64),
  ]) {
    const score = model.judge(local);
    if (score) expect(score.score).toSatisfy((score: number) => score >= 0 && score <= 1);
  }
});

test("the committed weights match these features, and others are rejected", () => {
  const file = readFileSync(FILE);
  const weights = readWeights(file);
  expect(file.length).toBeLessThan(1_000_000);
  expect(weights.method).toMatch(/^mailvet-names-\d+$/);
  expect(nameModelFrom(readWeights(writeWeights(weights))).judge("john.smith")).toEqual(
    model.judge("john.smith"),
  );

  const flipped = Uint8Array.from(file);
  flipped[flipped.length - 1]! ^= 1;
  expect(() => readWeights(flipped)).toThrow("damaged");
  const older = Buffer.from(file.toString("latin1").replace('"version": 1', '"version": 0'), "latin1");
  expect(() => readWeights(older)).toThrow("other features");
});

function scored(locals: readonly string[]): number[] {
  return locals.map((local) => loadNameModel().judge(local)?.score).filter((score) => score !== undefined);
}
