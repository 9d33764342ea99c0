import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lexiconEntries, lexiconFile, lexiconFrom, loadNameLexicon, type NameEntry } from "./name-lexicon.ts";

test("names of many cultures are known, with their commonness as given and family names", () => {
  const lexicon = loadNameLexicon();
  expect(lexicon.find("john")).toMatchObject({ given: 4 });
  expect(lexicon.find("smith")).toEqual({ given: 0, family: 4 });
  for (const given of ["giuseppe", "krzysztof", "mthunzi", "hiroko", "oluwaseun", "dmitriy"]) {
    expect(lexicon.find(given)?.given, given).toBeGreaterThan(0);
  }
  for (const family of ["mueller", "muller", "nguyen", "kowalczyk", "papadopoulos", "tanaka"]) {
    expect(lexicon.find(family)?.family, family).toBeGreaterThan(0);
  }
});

test("a part of a name, an extended name and an empty one are not found", () => {
  const lexicon = loadNameLexicon();
  for (const word of ["", "krzyszt", "xkqzvw", "johnsmith", "JOHN", "john1"])
    expect(lexicon.find(word)).toBeUndefined();
});

test("a lexicon file contains all its entries, and finds each", () => {
  const entries: NameEntry[] = [
    { name: "ann", given: 4, family: 1 },
    { name: "anna", given: 3, family: 0 },
    { name: "li", given: 1, family: 4 },
  ];
  const file = lexiconFile(entries.toReversed());
  expect(lexiconEntries(file)).toEqual(entries);
  const lexicon = lexiconFrom(file);
  for (const { name, given, family } of entries) expect(lexicon.find(name)).toEqual({ given, family });
  expect(lexicon.size).toBe(3);
});

test("the first searches, before the index is built, find what later ones find", () => {
  const file = readFileSync(new URL("../../data/names.gz", import.meta.url));
  const entries = lexiconEntries(file);
  const names = [0, 1, entries.length >> 1, entries.length - 1].flatMap((at) => {
    const { name } = entries[at]!;
    return [name, `${name}a`, name.slice(0, -1), name.slice(1)];
  });
  const words = ["", "a", "zzzzzz", "john", "smith", "JOHN", "jöhn", ...names];
  const lexicon = lexiconFrom(file);
  const early = words.map((word) => lexicon.find(word));
  expect(lexicon.size).toBe(entries.length); // builds the index
  expect(words.map((word) => lexicon.find(word))).toEqual(early);
  const listed = new Map(entries.map(({ name, ...grades }) => [name, grades]));
  expect(early).toEqual(words.map((word) => listed.get(word)));
});

test("an unlisted name is more probable than random letters, and a listed one more than that", () => {
  const lexicon = loadNameLexicon();
  expect(lexicon.find("marinelda")).toBeUndefined();
  const [listed, unlisted, random] = ["marinella", "marinelda", "mxrqnldzk"].map((word) =>
    lexicon.chanceAsGiven(word),
  );
  expect(listed).toBeGreaterThan(unlisted! * 10);
  expect(unlisted).toBeGreaterThan(random! * 1000);
});
