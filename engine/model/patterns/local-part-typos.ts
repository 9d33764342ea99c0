/**
 * How often a typo in a local part is corrected, and how often a correct name is "corrected" as well; compared with a
 * simple rule that takes the most common name one edit from an unlisted word.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { suggestLocal } from "#src/plausibility/local-part-typo";
import { loadNameLexicon, type NameLexicon } from "#src/plausibility/name-lexicon";
import { typoCandidates } from "#src/plausibility/typo-candidates";
import { packageFolder } from "../packages.ts";
import { createRandom, type Random } from "../random.ts";
import { withSlip } from "./key-typos.ts";
import { isHeldOut, type Person, type Population } from "./people.ts";

const PEOPLE = 6000;

type Suggest = (local: string, lexicon: NameLexicon) => string | undefined;

export async function printLocalSlips(population: Population): Promise<void> {
  const people = peopleOf(population, createRandom(11));
  const [listed, partly] = [loadNameLexicon(), population.lexicon];
  const typos = typosOf(people, createRandom(12));
  const frequent = typos.filter(({ meant }) => meant.split(".").every((name) => isFrequent(name, listed)));
  const unseen = people.filter(({ given, family }) => isHeldOut(given) !== isHeldOut(family)).map(dotted);
  const handles = dividedHandles();
  const unlisted = await foreignGivenNames(people, partly);

  console.log("\ntypos in mailbox names                      ours: right  wrong   plain: right  wrong   of");
  for (const [label, cases, lexicon] of [
    ["one typo in first.last, any names", typos, listed],
    ["the same, both names frequent", frequent, listed],
  ] as const) {
    const counts = [suggestLocal, suggestPlainly].map((suggest) => rightAndWrong(cases, suggest, lexicon));
    console.log(`${label.padEnd(42)} ${counts.map(percents).join("   ")}   ${cases.length}`);
  }
  console.log("\nsuggestions where nothing is wrong          ours     plain    of");
  for (const [label, locals, lexicon] of [
    ["first.last, one name unlisted", unseen, partly],
    ["given names of another source, unlisted", unlisted, partly],
    ["real handles of two words", handles, listed],
  ] as const) {
    const shares = [suggestLocal, suggestPlainly].map(
      (suggest: Suggest) =>
        locals.filter((local) => suggest(local, lexicon) !== undefined).length / locals.length,
    );
    console.log(`${label.padEnd(42)} ${shares.map(percent).join("   ")}   ${locals.length}`);
  }
}

function peopleOf(population: Population, random: Random): Person[] {
  return Array.from({ length: PEOPLE }, () => population.place(random).person());
}

function dotted({ given, family }: Person): string {
  return `${given}.${family}`;
}

type TypoCase = { typed: string; meant: string };

function typosOf(people: readonly Person[], random: Random): TypoCase[] {
  return people.map(({ given, family }) => ({
    meant: `${given}.${family}`,
    typed: random.chance(0.5)
      ? `${withSlip(given, random)}.${family}`
      : `${given}.${withSlip(family, random)}`,
  }));
}

function isFrequent(name: string, lexicon: NameLexicon): boolean {
  const found = lexicon.find(name);
  return found !== undefined && Math.max(found.given, found.family) >= 3;
}

function rightAndWrong(cases: readonly TypoCase[], suggest: Suggest, lexicon: NameLexicon): number[] {
  const suggested = cases.map(({ typed, meant }) => ({ meant, suggestion: suggest(typed, lexicon) }));
  const right = suggested.filter(({ meant, suggestion }) => suggestion === meant).length;
  const wrong = suggested.filter(
    ({ meant, suggestion }) => suggestion !== undefined && suggestion !== meant,
  ).length;
  return [right / cases.length, wrong / cases.length];
}

/** Replaces each unlisted word by the most common name one edit away. */
function suggestPlainly(local: string, lexicon: NameLexicon): string | undefined {
  const words = local.split(/([._-])/);
  const corrected = words.map((word) => {
    if (!/^[a-z]{4,20}$/.test(word) || lexicon.find(word) !== undefined) return word;
    let [best, bestChance] = [word, 0];
    for (const name of typoCandidates(word, "abcdefghijklmnopqrstuvwxyz")) {
      const chance = Math.max(lexicon.chanceAsGiven(name), lexicon.chanceAsFamily(name));
      if (isFrequent(name, lexicon) && chance > bestChance) [best, bestChance] = [name, chance];
    }
    return best;
  });
  return corrected.join("") === local ? undefined : corrected.join("");
}

/** Scopes of npm packages that are two words: one in four of them. */
function dividedHandles(): string[] {
  const names = JSON.parse(
    readFileSync(join(packageFolder("all-the-package-names"), "names.json"), "utf8"),
  ) as string[];
  const scopes = new Set(
    names.filter((name) => name.startsWith("@")).map((name) => name.slice(1, name.indexOf("/"))),
  );
  return [...scopes]
    .filter((scope) => /^[a-z]{2,}[._-][a-z]{2,}\d*$/.test(scope))
    .filter((_, i) => i % 4 === 0);
}

/** Given names that only the evaluation's source lists, before family names of the lexicon. */
async function foreignGivenNames(people: readonly Person[], lexicon: NameLexicon): Promise<string[]> {
  const load = createRequire(import.meta.url);
  const folder = join(packageFolder("human-names"), "data");
  const given = ["de", "en", "es", "fr", "it", "nl"].flatMap((language) =>
    ["female", "male"].flatMap(
      (sex) => load(join(folder, `${sex}-human-names-${language}.json`)) as string[],
    ),
  );
  const unlisted = [...new Set(given.map((name) => name.toLowerCase()))].filter(
    (name) => /^[a-z]{4,20}$/.test(name) && lexicon.find(name) === undefined,
  );
  return unlisted.map((name, i) => `${name}.${people[i % people.length]!.family}`);
}

function percents(shares: readonly number[]): string {
  return shares.map(percent).join(" ");
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`.padStart(8);
}
