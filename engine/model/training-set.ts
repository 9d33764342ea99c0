/** The training rows: chosen local parts and fakes. */
import {
  addKnown,
  addSeen,
  emptyModelTables,
  fivesOf,
  type ModelTables,
} from "#src/plausibility/name-model/known-word-features";
import {
  censusStock,
  commonWords,
  FOLDS,
  handles,
  type NameStock,
  roleNames,
  type Side,
  trainingStocks,
} from "./corpus.ts";
import { LANGUAGE_GROUPS } from "./cultures.ts";
import { FAKE_KINDS, type FakeKind, type FakeStock, MarkovChain } from "./fakes.ts";
import { officeLocalPart, personLocalPart, wordLocalPart } from "./people.ts";
import { createRandom, type Random } from "./random.ts";
import { spellingOf } from "./spelling.ts";

export type Row = { local: string; chosen: boolean; kind: string };
export type FoldedRow = Row & { fold: number };

/** The material of one side of the split. */
export type Material = {
  stocks: NameStock[];
  census: NameStock;
  words: Map<string, string[]>;
  roles: string[];
  handles: string[];
  fakes: FakeStock;
};

export async function materialOf(side: Side): Promise<Material> {
  const stocks = await trainingStocks(side);
  const census = censusStock(side);
  const words = commonWords(side);
  return { stocks, census, words, roles: roleNames(), handles: handles()[side], fakes: await fakeStock() };
}

/** Fakes may be made from any name; the split applies to chosen names. */
async function fakeStock(): Promise<FakeStock> {
  const all = (await trainingStocks()).flatMap(({ given, family }) => [...given, ...family]);
  const names = [...new Set(all)].filter(({ length }) => length >= 4);
  const words = [...commonWords().values()].flat().filter(({ length }) => length >= 4);
  const runs = handles()
    .test.flatMap((handle) => handle.split(/[^a-z]+/))
    .filter(({ length }) => length >= 4);
  return {
    names,
    markov: new MarkovChain(names),
    wordMarkov: new MarkovChain(words),
    handleMarkov: new MarkovChain(runs),
  };
}

/** Composition of the chosen rows. Real handles weigh most, because people really type them. */
const CHOSEN: readonly (readonly [kind: string, share: number])[] = [
  ["handle", 0.42],
  ["person", 0.36],
  ["census", 0.08],
  ["word", 0.07],
  ["office", 0.07],
];

export function chosenRow(material: Material, random: Random): Row {
  const kind = random.pickByShare(CHOSEN);
  return { local: MAKERS[kind]!(material, random), chosen: true, kind };
}

const MAKERS: Record<string, (material: Material, random: Random) => string> = {
  handle: ({ handles }, random) => random.pick(handles),
  // Every language group with the same probability, and in it every culture, however long its list.
  person: ({ stocks }, random) => personLocalPart(random.pick(random.pick(groupsOf(stocks))), random),
  census: ({ census }, random) => personLocalPart(frequent(census, random), random),
  word: ({ words }, random) => wordLocalPart(random.pick([...words.values()]), random),
  office: ({ roles, words }, random) => officeLocalPart(roles, words.get("english")!, random),
};

function groupsOf(stocks: readonly NameStock[]): NameStock[][] {
  let groups = grouped.get(stocks);
  if (!groups) {
    const byCulture = new Map(stocks.map((stock) => [stock.culture, stock]));
    groups = Object.values(LANGUAGE_GROUPS)
      .map((cultures) => cultures.flatMap((culture) => byCulture.get(culture) ?? []))
      .filter(({ length }) => length > 0);
    grouped.set(stocks, groups);
  }
  return groups;
}

const grouped = new WeakMap<readonly NameStock[], NameStock[][]>();

/** The census is ordered by frequency: common names are drawn more often. */
function frequent({ culture, given, family }: NameStock, random: Random): NameStock {
  const draw = (names: string[]) => [names[Math.floor(names.length * random.unit() ** 3)]!];
  return { culture, given: draw(given), family: draw(family) };
}

const trainedKinds = (wanted: FakeKind["family"]) =>
  Object.entries(FAKE_KINDS)
    .filter(([, { trained, family }]) => trained && family === wanted)
    .map(([kind, { share }]) => [kind, share] as const);
const OF_FAMILY = { random: trainedKinds("random"), pronounceable: trainedKinds("pronounceable") };

/** A fake of the kinds that training may see; `pronounceable` is the share of pronounceable ones. */
export function fakeRow({ fakes }: Material, pronounceable: number, random: Random): Row {
  for (;;) {
    const kinds = OF_FAMILY[random.chance(pronounceable) ? "pronounceable" : "random"];
    const kind = random.pickByShare(kinds);
    const local = FAKE_KINDS[kind]!.make(random, fakes);
    if (local.length >= 4) return { local, chosen: false, kind };
  }
}

/** Every second one chosen. */
export function rowsOf(material: Material, count: number, seed: number): Row[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, i) =>
    i % 2 === 0 ? chosenRow(material, random) : fakeRow(material, PRONOUNCEABLE_SHARE, random),
  );
}

/**
 * A name in the lexicon says nothing about unseen names. So during training the names are split into folds, and a row
 * uses a lexicon and a spelling table built without its fold. Some names are kept all the same: real people mostly
 * have known names.
 */
export function foldedRows(
  whole: Material,
  folds: readonly Material[],
  count: number,
  seed: number,
): FoldedRow[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const fold = (i >> 1) % FOLDS;
    if (i % 2 === 1) return { ...fakeRow(whole, PRONOUNCEABLE_TRAINED, random), fold };
    const isUnknown = random.chance(UNKNOWN_SHARE);
    const row = chosenRow(isUnknown ? folds[fold]! : { ...whole, handles: folds[fold]!.handles }, random);
    return { ...row, fold };
  });
}

const UNKNOWN_SHARE = 0.6;
/** They are hard to learn, so training sees more of them than the population on which scores are calibrated. */
const PRONOUNCEABLE_TRAINED = 0.35;
export const PRONOUNCEABLE_SHARE = 0.1;

/** The part of a material inside a fold, or outside it. */
export function foldOfMaterial(material: Material, isIn: (token: string) => boolean): Material {
  const cut = ({ culture, given, family }: NameStock): NameStock => ({
    culture,
    given: given.filter(isIn),
    family: family.filter(isIn),
  });
  return {
    ...material,
    stocks: material.stocks.map(cut).filter(({ given, family }) => given.length > 0 && family.length > 0),
    census: cut(material.census),
    words: new Map([...material.words].map(([language, words]) => [language, words.filter(isIn)])),
    handles: material.handles.filter((handle) => isIn(handle)),
  };
}

export function knowledgeOf(material: Material): ModelTables {
  const { lexicon, fives } = emptyModelTables();
  for (const token of knownTokens(material)) addKnown(lexicon, token);
  for (const five of sharedFives(material)) addSeen(fives, five);
  return { lexicon, fives, spelling: spellingOf(spelledRuns(material)) };
}

/** The 5-grams that at least two of them share. */
function* sharedFives(material: Material): Generator<number> {
  const seen = new Set<number>();
  for (const run of new Set(Array.from(spelledRuns(material), ([run]) => run))) {
    for (const five of fivesOf(run)) {
      if (seen.has(five)) yield five;
      else seen.add(five);
    }
  }
}

/** All names and words on this side: the model's lexicon. */
export function knownTokens({ stocks, census, words, roles }: Material): Set<string> {
  const tokens = new Set<string>();
  for (const { given, family } of stocks) for (const name of [...given, ...family]) tokens.add(name);
  for (const name of census.given) tokens.add(name);
  for (const name of census.family.slice(0, CENSUS_FAMILIES)) tokens.add(name);
  for (const list of words.values()) for (const word of list.slice(0, WORDS_PER_LANGUAGE)) tokens.add(word);
  for (const role of roles) for (const word of role.split(/[^a-z]+/)) if (word.length >= 3) tokens.add(word);
  return tokens;
}

const CENSUS_FAMILIES = 25_000;
const WORDS_PER_LANGUAGE = 1_500;

function* spelledRuns({ stocks, census, words, handles }: Material): Generator<readonly [string, number]> {
  for (const group of groupsOf(stocks)) {
    for (const { given, family } of group) {
      const weight = GROUP_WEIGHT / group.length / 2;
      for (const names of [given, family]) for (const name of names) yield [name, weight / names.length];
    }
  }
  for (const [rank, name] of census.family.entries()) yield [name, rank < 20_000 ? 1 : 0.3];
  for (const name of census.given) yield [name, 1];
  for (const list of words.values()) for (const word of list) yield [word, 0.25];
  for (const handle of handles) for (const run of handle.split(/[^a-z]+/)) if (run !== "") yield [run, 1];
}

/** Weight of each language group, in handles, whatever the length of its lists. */
const GROUP_WEIGHT = 40_000;
