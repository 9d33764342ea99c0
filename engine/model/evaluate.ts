/**
 * Evaluates the committed weights, prints every figure of docs/ai.md, and fails when a required figure is missed.
 *
 *   npm run model:evaluate
 *   npm run model:evaluate -- --fixture     also writes the small set that the unit tests use
 *
 * Addresses of real people are read where they published them, used in memory, and neither printed nor written.
 */
import { loadNameModel } from "#src/plausibility/name-model/name-model";
import { BASELINES } from "./baselines.ts";
import { COUNTRY_GROUPS, LANGUAGE_GROUPS } from "./cultures.ts";
import { FAKE_KINDS, type FakeKind } from "./fakes.ts";
import { writeFixture } from "./fixture.ts";
import { aucOf, reliabilityOf, shareUnder } from "./metrics.ts";
import type { Person } from "./real-people.ts";
import { testSets } from "./test-sets.ts";
import { PRONOUNCEABLE_SHARE } from "./training-set.ts";

const model = loadNameModel();
const sets = await testSets();
const misses: string[] = [];

const scored = (locals: readonly string[]) =>
  locals.map((local) => model.judge(local)?.score).filter((score) => score !== undefined);
const localsOf = (people: readonly Person[]) => [...new Set(people.map(({ local }) => local.toLowerCase()))];
const fakesOf = (fits: (kind: FakeKind) => boolean) =>
  [...sets.fakes].filter(([kind]) => fits(FAKE_KINDS[kind]!)).flatMap(([, locals]) => locals);

const unseenRandom = fakesOf(({ family, trained }) => family === "random" && !trained);
const unseenSpoken = fakesOf(({ family, trained }) => family === "pronounceable" && !trained);
const scores = {
  names: scored([...sets.names.values()].flat()),
  unseenSources: scored(sets.unseenSources),
  handles: scored(sets.handles),
  random: scored(unseenRandom),
  spoken: scored(unseenSpoken),
};

console.log(`${model.method}\n`);
printNames();
printPeople();
printSpoken();
printCalibration();
printKinds();
printGroups();
printBaselines();
printSpeed();
if (process.argv.includes("--fixture")) writeFixture(sets);
if (misses.length > 0) {
  console.log(`\nMissed:\n${misses.map((miss) => `  ${miss}`).join("\n")}`);
  process.exitCode = 1;
} else console.log("\nEvery required figure is met.");

function printNames(): void {
  console.log("Unseen names against unseen kinds of random");
  const pooled = [...scores.names, ...scores.unseenSources];
  row("names on the test side", aucOf(scores.names, scores.random));
  row("names of unseen sources", aucOf(scores.unseenSources, scores.random));
  promise("both together", aucOf(pooled, scores.random), "at least", 0.99);
  row("real handles", aucOf(scores.handles, scores.random));
  for (const [low, high] of [
    [4, 6],
    [7, 9],
    [10, 64],
  ] as const) {
    const of = (locals: readonly string[]) =>
      scored(locals.filter(({ length }) => length >= low && length <= high));
    const random = of(unseenRandom);
    if (random.length > 0)
      row(`  ${low} to ${high} characters`, aucOf(of([...sets.names.values()].flat()), random));
  }
}

function printPeople(): void {
  console.log("\nReal people                          people   AUC random   under 0.2   no opinion");
  for (const [set, people] of Object.entries(sets.people)) {
    const locals = localsOf(people);
    if (locals.length === 0) {
      console.log(`  ${set.padEnd(30)} not on this machine`);
      continue;
    }
    const judged = scored(locals);
    const [auc, under] = [aucOf(judged, scores.random), shareUnder(judged, 0.2)];
    const silent = percent(1 - judged.length / locals.length);
    console.log(
      `  ${set.padEnd(30)} ${String(locals.length).padStart(8)} ${auc.toFixed(4).padStart(12)} ${percent(under).padStart(11)} ${silent.padStart(12)}`,
    );
    if (!set.startsWith("debian")) continue;
    keep(`${set}: AUC`, auc, "at least", 0.975);
    keep(`${set}: share under 0.2`, under, "at most", 0.03);
  }
  const allPeople = Object.values(sets.people).flat();
  if (allPeople.length === 0) return;
  console.log("  by where their domain is                   under 0.2");
  for (const [group, endings] of Object.entries(COUNTRY_GROUPS)) {
    const judged = scored(
      localsOf(allPeople.filter(({ domain }) => endings.includes(domain.slice(domain.lastIndexOf(".") + 1)))),
    );
    if (judged.length >= 20)
      console.log(
        `    ${group.padEnd(32)} ${String(judged.length).padStart(4)} ${percent(shareUnder(judged, 0.2)).padStart(8)}`,
      );
  }
}

function printSpoken(): void {
  console.log("\nPronounceable fakes                            names   people   handles");
  const people = scored(Object.values(sets.people).flatMap(localsOf));
  for (const [kind, locals] of sets.fakes) {
    const { family, trained } = FAKE_KINDS[kind]!;
    if (family === "random") continue;
    const fakes = scored(locals);
    const against = [scores.names, people, scores.handles].map((chosen) =>
      aucOf(chosen, fakes).toFixed(3).padStart(8),
    );
    console.log(`  ${kind.padEnd(26)} ${trained ? "trained on  " : "never trained"} ${against.join(" ")}`);
  }
  const chosen = people.length > 0 ? people : scores.handles;
  promise("generators never trained on, against people", aucOf(chosen, scores.spoken), "at least", 0.9);
  row("the same against unseen names", aucOf(scores.names, scores.spoken));
}

function printCalibration(): void {
  // Half chosen, half fakes; with the share of pronounceable fakes that calibration assumed.
  const fakes = [...scores.random];
  const spoken = Math.round((scores.random.length * PRONOUNCEABLE_SHARE) / (1 - PRONOUNCEABLE_SHARE));
  for (let i = 0; i < spoken; i++)
    fakes.push(scores.spoken[Math.floor((i * scores.spoken.length) / spoken)]!);
  const people = scored(Object.values(sets.people).flatMap(localsOf));
  const { bins, ece, brier } = reliabilityOf(people.length > 0 ? people : scores.handles, fakes);
  console.log("\nCalibration, real people against unseen fakes");
  promise("ECE", ece, "at most", 0.03);
  row("Brier", brier);
  console.log("  said         of      mean said   were chosen");
  for (const bin of bins) {
    const range = `${bin.from.toFixed(1)} to ${bin.to.toFixed(1)}`;
    console.log(
      `  ${range} ${String(bin.count).padStart(8)} ${bin.said.toFixed(3).padStart(11)} ${bin.true.toFixed(3).padStart(13)}`,
    );
  }
  row("ECE, handles instead of people", reliabilityOf(scores.handles, fakes).ece);
}

function printKinds(): void {
  console.log("\nWhat is said of each kind            under 0.2    to 0.5    to 0.8     above");
  const table: [string, readonly number[]][] = [
    ["people of unseen names", scores.names],
    ["people of unseen sources", scores.unseenSources],
    ["real handles", scores.handles],
    ...[...sets.fakes].map(
      ([kind, locals]) =>
        [`${kind}${FAKE_KINDS[kind]!.trained ? " (trained on)" : ""}`, scored(locals)] as [string, number[]],
    ),
  ];
  for (const [kind, judged] of table) {
    const under = [0.2, 0.5, 0.8, 1.01].map((limit) => shareUnder(judged, limit));
    const shares = under.map((share, i) => percent(share - (under[i - 1] ?? 0)).padStart(9));
    console.log(`  ${kind.padEnd(34)} ${shares.join(" ")}`);
  }
}

function printGroups(): void {
  console.log("\nLanguage groups, unseen names        people   AUC random   under 0.2");
  let worst = 0;
  for (const [group, cultures] of Object.entries(LANGUAGE_GROUPS)) {
    const judged = scored(cultures.flatMap((culture) => sets.names.get(culture) ?? []));
    const under = shareUnder(judged, 0.2);
    worst = Math.max(worst, under);
    console.log(
      `  ${group.padEnd(30)} ${String(judged.length).padStart(10)} ${aucOf(judged, scores.random).toFixed(4).padStart(12)} ${percent(under).padStart(11)}`,
    );
  }
  promise("worst language group, share under 0.2", worst, "at most", 0.05);
  const cultures = [...sets.names].map(
    ([culture, locals]) => [culture, shareUnder(scored(locals), 0.2)] as const,
  );
  const last = cultures.sort((a, b) => b[1] - a[1]).slice(0, 3);
  console.log(
    `  worst single cultures: ${last.map(([culture, under]) => `${culture} ${percent(under)}`).join(", ")}`,
  );
}

function printBaselines(): void {
  console.log("\nBaselines, AUC against unseen random and against pronounceable fakes never trained on");
  const chosen = [...sets.names.values()].flat();
  const people = Object.values(sets.people).flatMap(localsOf);
  const table: [string, (local: string) => number][] = [
    ["the model", (local) => model.judge(local)?.score ?? Number.NaN],
    ...Object.entries(BASELINES),
  ];
  for (const [name, judge] of table) {
    const judged = (locals: readonly string[]) => locals.map(judge).filter((score) => !Number.isNaN(score));
    const [names, real] = [judged(chosen), judged(people)];
    const line = [names, real]
      .filter(({ length }) => length > 0)
      .map((good) =>
        [unseenRandom, unseenSpoken]
          .map((fakes) => aucOf(good, judged(fakes)).toFixed(3).padStart(8))
          .join("  "),
      );
    console.log(`  ${name.padEnd(26)} names ${line[0]}   people ${line[1] ?? "-"}`);
  }
}

function printSpeed(): void {
  const locals = [...sets.handles, ...[...sets.names.values()].flat(), ...unseenRandom];
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    const before = process.cpuUsage();
    for (const local of locals) model.judge(local);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / locals.length);
  }
  console.log("\nSpeed");
  promise("µs of CPU per address, best of 5", best, "at most", 20);
}

function row(name: string, value: number): void {
  console.log(`  ${name.padEnd(44)} ${value.toFixed(4)}`);
}

function promise(name: string, value: number, sense: "at least" | "at most", limit: number): void {
  console.log(`  ${name.padEnd(44)} ${value.toFixed(4)}   (wanted: ${sense} ${limit})`);
  keep(name, value, sense, limit);
}

function keep(name: string, value: number, sense: "at least" | "at most", limit: number): void {
  const isKept = sense === "at least" ? value >= limit : value <= limit;
  if (!isKept) misses.push(`${name} is ${value.toFixed(4)}, wanted ${sense} ${limit}`);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
