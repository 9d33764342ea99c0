/** The test sets. No name, handle or kind of fake here was trained on; the two exceptions say so. */
import { censusStock, type NameStock, unseenStocks } from "./corpus.ts";
import { FAKE_KINDS } from "./fakes.ts";
import { personLocalPart } from "./people.ts";
import { createRandom } from "./random.ts";
import { debianMaintainers, type Person, packageAuthors } from "./real-people.ts";
import { knownTokens, type Material, materialOf } from "./training-set.ts";

export type TestSets = {
  /** By culture: people with names of the test side. */
  names: Map<string, string[]>;
  /** Names of packages that training never read. */
  unseenSources: string[];
  handles: string[];
  /** By kind. */
  fakes: Map<string, string[]>;
  people: Record<"debian, seen while choosing" | "debian, kept for last" | "npm authors", Person[]>;
};

const PER_CULTURE = 1_000;
const PER_KIND = 3_000;

export async function testSets(): Promise<TestSets> {
  const random = createRandom(7);
  const test = await materialOf("test");
  const trained = await trainedNames();
  const peopleOf = (stock: NameStock, count: number) =>
    Array.from({ length: count }, () => personLocalPart(stock, random));
  const names = new Map<string, string[]>();
  for (const stock of [...test.stocks, censusStock("test")])
    names.set(stock.culture, peopleOf(stock, PER_CULTURE));
  const unseenSources = unseenStocks(trained).flatMap((stock) => peopleOf(stock, PER_CULTURE));

  const fakes = new Map<string, string[]>();
  for (const [kind, { make }] of Object.entries(FAKE_KINDS)) {
    const made: string[] = [];
    while (made.length < PER_KIND) {
      const local = make(random, test.fakes);
      if (local.length >= 4) made.push(local);
    }
    fakes.set(kind, made);
  }
  const debian = debianMaintainers();
  return {
    names,
    unseenSources,
    handles: sampled(test.handles, 20_000),
    fakes,
    people: {
      "debian, seen while choosing": debian.filter((person) => halfOf(person) === 0),
      "debian, kept for last": debian.filter((person) => halfOf(person) === 1),
      "npm authors": packageAuthors(),
    },
  };
}

async function trainedNames(): Promise<Set<string>> {
  const [train, calibrate]: Material[] = [await materialOf("train"), await materialOf("calibrate")];
  return new Set([
    ...knownTokens(train!),
    ...train!.census.family,
    ...knownTokens(calibrate!),
    ...calibrate!.census.family,
  ]);
}

function sampled<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.floor(items.length / count));
  return items.filter((_, i) => i % step === 0).slice(0, count);
}

function halfOf({ local }: Person): number {
  let hash = 7;
  for (const character of local) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  return (hash >>> 5) & 1;
}
