/**
 * Builds data/names.gz, the lexicon of given and family names.
 *
 *   npm run model:lexicon
 */

import { writeFileSync } from "node:fs";
import { type Commonness, lexiconFile, type NameEntry } from "#src/plausibility/name-lexicon";
import { NAME_PACKAGES, type NameSource, readNameSources } from "./name-sources.ts";

const FILE = new URL("../../data/names.gz", import.meta.url);

const entries = entriesFrom(await readNameSources());
const file = lexiconFile(entries);
writeFileSync(FILE, file);

const known = (kind: NameSource["kind"]) =>
  entries.filter((entry) => entry[kind] > 0).length.toLocaleString("en");
console.log(`names.gz from ${NAME_PACKAGES.join(", ")}`);
console.log(
  `  ${entries.length.toLocaleString("en")} names: ${known("given")} given, ${known("family")} family`,
);
console.log(`  ${(file.length / 1000).toFixed(0)} KB`);

/** A name's commonness is the highest of its sources, and one more when languages share it. */
function entriesFrom(sources: readonly NameSource[]): NameEntry[] {
  const gathered = new Map<
    string,
    Record<NameSource["kind"], { best: Commonness; languages: Set<string> }>
  >();
  for (const { from, kind, names } of sources) {
    for (const { spellings, commonness } of names) {
      for (const spelling of spellings) {
        const entry = gathered.get(spelling) ?? { given: nowhere(), family: nowhere() };
        gathered.set(spelling, entry);
        entry[kind].best = Math.max(entry[kind].best, commonness) as Commonness;
        entry[kind].languages.add(from.slice(0, 2));
      }
    }
  }
  return Array.from(gathered, ([name, { given, family }]) => ({
    name,
    given: commonnessOf(given),
    family: commonnessOf(family),
  }));
}

function nowhere() {
  return { best: 0 as Commonness, languages: new Set<string>() };
}

function commonnessOf({ best, languages }: { best: Commonness; languages: ReadonlySet<string> }): Commonness {
  const shared = languages.size >= 8 ? 3 : languages.size >= 4 ? 2 : 1;
  return best === 0 ? 0 : (Math.max(best, shared) as Commonness);
}
