/**
 * The value of plausibility at catch-all domains: companies with a known truth, and lists of addresses some of which
 * are real, scored from evidence to `score` like any address.
 *
 * There are three kinds of fakes: random, a person's name in another pattern than the company's, and a person's name
 * in the right one. The last cannot be distinguished from a real one, so there is an upper bound, which is part of the table.
 *
 *   npm run model:fusion
 */
import type { Evidence } from "#src/evidence";
import { createInspection } from "#src/offline-inspection";
import { loadNameModel } from "#src/plausibility/name-model/name-model";
import { type PatternTally, tallyOf } from "#src/plausibility/naming-pattern";
import { loadDisposables } from "#src/reference/disposable";
import { reportOf } from "#src/report";
import { FAKE_KINDS, type FakeStock, MarkovChain } from "../model/fakes.ts";
import { aucOf } from "../model/metrics.ts";
import { drawTemplate, mailboxName } from "../model/patterns/mailbox-names.ts";
import { type Person, readPopulation } from "../model/patterns/people.ts";
import { createRandom, type Random } from "../model/random.ts";

const COMPANIES = 300;
const LIST_LENGTH = 20; // addresses of one company in one list
const REAL_SHARES = [0.4, 0.5, 0.6];
/** Share of mailboxes that follow the company's pattern, and share of people with an unlisted name. */
const ADHERENCE = 0.9;
const UNLISTED = 0.2;
const FAKES = { random: 0.3, wrongPattern: 0.4 }; // and the rest in the right pattern

/** The required lift of pattern and name together, with few known mailboxes as with many. */
const GATE = { realShare: 0.4, judgedBy: "name, pattern", lift: 1.5 };

const population = await readPopulation();
const inspect = createInspection({ disposables: loadDisposables(), nameModel: loadNameModel() });
const random = createRandom(20_261_115);
const stock = fakeStock();
const randomKinds = Object.values(FAKE_KINDS).filter(({ family }) => family === "random");

/** The best possible distinction: group 2 follows the pattern, 1 another one, 0 is random. */
type Member = { local: string; isReal: boolean; group: 0 | 1 | 2 };
type Company = { known: string[]; list: Member[] };

type UseEvidence = (evidence: Evidence, naming: PatternTally, others: () => PatternTally) => Evidence;

/** Number of proven mailboxes known, and which evidence is used. */
const ROWS: readonly (readonly [known: number, judgedBy: string, useEvidence: UseEvidence])[] = [
  [0, "nothing", (e) => ({ ...e, ignoresName: true })],
  [0, "name", (e) => e],
  [0, "name, list", (e, _, others) => ({ ...e, listNaming: others() })],
  ...[3, 10].flatMap((known): [number, string, UseEvidence][] => [
    [known, "pattern", ({ nameScore: _, ...e }, naming) => ({ ...e, naming })],
    [known, "name, pattern", (e, naming) => ({ ...e, naming })],
  ]),
  [10, "name, pattern, list", (e, naming, others) => ({ ...e, naming, listNaming: others() })],
];
const MOST_KNOWN = 10;

const gated: number[] = [];
for (const realShare of REAL_SHARES) {
  console.log(`\n${COMPANIES} companies × ${LIST_LENGTH} addresses, ${realShare * 100} % of them real`);
  console.log("known  judged by                AUC   Brier   real in the top half   × base rate");
  const companies = Array.from({ length: COMPANIES }, () => makeCompany(realShare, random));
  for (const [known, judgedBy, useEvidence] of ROWS) {
    const lift = print(known, judgedBy, judge(companies, known, useEvidence));
    if (realShare === GATE.realShare && judgedBy === GATE.judgedBy) gated.push(lift);
  }
  print("any", "(best there can be)", bestOf(companies.flatMap(({ list }) => list)));
}
console.log(
  `\n${GATE.judgedBy}, ${GATE.realShare * 100} % real: × ${gated.map((lift) => lift.toFixed(2)).join(" and ")}   (wanted: at least ${GATE.lift})`,
);
if (!gated.every((lift) => lift >= GATE.lift)) process.exitCode = 1;

function makeCompany(realShare: number, random: Random): Company {
  const place = population.place(random);
  const person = (): Person => {
    const { given, family } = place.person();
    const made = (name: string) => (random.chance(UNLISTED) ? stock.markov.word(random, 2) : name);
    return { given: made(given), family: made(family) };
  };
  const truth = drawTemplate(random);
  const another = () => mailboxName(person(), drawTemplate(random, truth));
  const real = (): Member =>
    random.chance(ADHERENCE)
      ? { local: mailboxName(person(), truth), isReal: true, group: 2 }
      : { local: another(), isReal: true, group: 1 };
  const fake = (): Member => {
    const dice = random.unit();
    if (dice < FAKES.random)
      return { local: random.pick(randomKinds).make(random, stock), isReal: false, group: 0 };
    if (dice < FAKES.random + FAKES.wrongPattern) return { local: another(), isReal: false, group: 1 };
    return { local: mailboxName(person(), truth), isReal: false, group: 2 };
  };
  return {
    known: Array.from({ length: MOST_KNOWN }, () => real().local),
    list: Array.from({ length: LIST_LENGTH }, () => (random.chance(realShare) ? real() : fake())),
  };
}

type Judged = { isReal: boolean; score: number };

function judge(companies: readonly Company[], known: number, useEvidence: UseEvidence): Judged[] {
  return companies.flatMap((company) => {
    const naming = tallyOf(company.known.slice(0, known));
    return company.list.map(({ local, isReal }) => {
      const others = () =>
        tallyOf(company.list.flatMap((other) => (other.local === local ? [] : [other.local])));
      return { isReal, score: scoreOf(useEvidence(atCatchAll(local), naming, others)) };
    });
  });
}

function atCatchAll(local: string): Evidence {
  return {
    ...inspect(`${local}@takes-anyone.com`),
    route: { kind: "mail_hosts", implicit: false, hosts: [], isPartial: false },
    policies: { spf: true, dmarc: true, mtaSts: false },
    mailbox: { answer: "accepted" },
    decoy: { answer: "accepted", confidence: 0.92 },
  };
}

function scoreOf(evidence: Evidence): number {
  const asking = { requestId: "", planTier: "", responseTimeMs: 0, checkedAtMs: 0, cached: false };
  return reportOf(evidence, asking).score;
}

/** The upper bound: each member scored by the share of real ones in its group. */
function bestOf(members: readonly Member[]): Judged[] {
  const shareIn = (group: number) => {
    const some = members.filter((member) => member.group === group);
    return some.filter(({ isReal }) => isReal).length / some.length;
  };
  const scores = [0, 1, 2].map((group) => 100 * shareIn(group));
  return members.map(({ isReal, group }) => ({ isReal, score: scores[group]! }));
}

/** Returns the lift of the top half over the base rate. */
function print(known: number | string, judgedBy: string, judged: readonly Judged[]): number {
  const [real, fake] = [true, false].map((isReal) =>
    judged.filter((one) => one.isReal === isReal).map(({ score }) => score),
  );
  const brier =
    judged.reduce((sum, { isReal, score }) => sum + (score / 100 - Number(isReal)) ** 2, 0) / judged.length;
  const top = topHalf(judged);
  const lift = top / (real!.length / judged.length);
  console.log(
    [
      String(known).padStart(5),
      `  ${judgedBy.padEnd(22)}`,
      aucOf(real!, fake!).toFixed(3).padStart(6),
      brier.toFixed(3).padStart(8),
      `${(top * 100).toFixed(1)} %`.padStart(23),
      lift.toFixed(2).padStart(14),
    ].join(""),
  );
  return lift;
}

/** The share of real ones in the better half; ties at the boundary count proportionally. */
function topHalf(judged: readonly Judged[]): number {
  const half = judged.length / 2;
  const cut = judged.map(({ score }) => score).sort((a, b) => b - a)[Math.floor(half)]!;
  const above = judged.filter(({ score }) => score > cut);
  const tied = judged.filter(({ score }) => score === cut);
  const realIn = (some: readonly Judged[]) => some.filter(({ isReal }) => isReal).length;
  return (realIn(above) + (realIn(tied) * (half - above.length)) / tied.length) / half;
}

function fakeStock(): FakeStock {
  const people = Array.from({ length: 4000 }, () => population.place(random).person());
  const names = people.flatMap(({ given, family }) => [given, family]);
  const markov = new MarkovChain(names);
  return { names, markov, wordMarkov: markov, handleMarkov: markov };
}
