/**
 * People to generate mailboxes for, and the lexicon with one name in five removed.
 *
 * A name is removed by a hash of its letters, whatever its source. The reduced lexicon is built like the packaged
 * one, so that neither the names nor their spelling help the parser.
 */

import { readFileSync } from "node:fs";
import { lexiconEntries, lexiconFile, lexiconFrom, type NameLexicon } from "#src/plausibility/name-lexicon";
import { readNameSources } from "../lexicon/name-sources.ts";
import type { Random } from "../random.ts";

export type Person = { given: string; family: string };

export type Population = {
  lexicon: NameLexicon;
  /** A place where people share a culture: a company. */
  place(random: Random): { person(): Person };
};

export function isHeldOut(name: string): boolean {
  let hash = 0x9e3779b9;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) % 5 === 0;
}

export function lexiconWithoutHeldOut(): NameLexicon {
  const entries = lexiconEntries(readFileSync(new URL("../../data/names.gz", import.meta.url)));
  return lexiconFrom(lexiconFile(entries.filter(({ name }) => !isHeldOut(name))));
}

export async function readPopulation(): Promise<Population> {
  const cultures = new Map<string, { given: string[]; family: string[] }>();
  for (const { from, kind, names } of await readNameSources()) {
    const culture = cultures.get(from) ?? { given: [], family: [] };
    cultures.set(from, culture);
    culture[kind].push(...names.map(({ spellings }) => spellings[0]!).filter((name) => name.length > 2));
  }
  const census = cultures.get("census")!;
  const whole = [...cultures.values()].filter(
    ({ given, family }) => given.length >= 40 && family.length >= 40,
  );
  return {
    lexicon: lexiconWithoutHeldOut(),
    place: (random) => {
      const culture = random.chance(CENSUS_SHARE) ? census : random.pick(whole);
      // The census is ordered by frequency, and common names are drawn more often.
      const draw = (names: string[]) =>
        culture === census ? names[Math.floor(names.length * random.unit() ** 3)]! : random.pick(names);
      return { person: () => ({ given: draw(culture.given), family: draw(culture.family) }) };
    },
  };
}

const CENSUS_SHARE = 0.4;
