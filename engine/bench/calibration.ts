/**
 * npm run model:calibration: deployments whose scores are off, before and after 1,000 reported outcomes.
 *
 * The true delivery rate of each kind of mailbox is simulated and known. Outcomes are drawn from it, the calibration
 * learns from them, and its predictions are compared with the truth, over many deployments.
 */
import type { SubStatus } from "@mailvet/contract";
import {
  bandOf,
  type CalibrationCell,
  calibrateScore,
  calibrationFrom,
  predictedBounceRate,
} from "../src/calibration.ts";

type Sort = {
  name: string;
  provider: string;
  subStatus: SubStatus;
  share: number;
  scores: readonly [from: number, to: number];
  /** The true delivery probability of a mailbox with this score. */
  delivers: (score: number) => number;
};

const SORTS: readonly Sort[] = [
  {
    name: "catch-all, scored too low",
    provider: "google_workspace",
    subStatus: "catch_all",
    share: 0.25,
    scores: [50, 74],
    delivers: (score) => 0.85 + (score - 62) / 200,
  },
  {
    name: "catch-all, scored too high",
    provider: "microsoft_365",
    subStatus: "catch_all",
    share: 0.25,
    scores: [50, 74],
    delivers: (score) => (score - 27) / 100,
  },
  {
    name: "unknown, scored too high",
    provider: "yahoo",
    subStatus: "greylisted",
    share: 0.2,
    scores: [50, 70],
    delivers: () => 0.5,
  },
  {
    name: "proven, scored as it is",
    provider: "google_workspace",
    subStatus: "",
    share: 0.28,
    scores: [94, 99],
    delivers: (score) => score / 100,
  },
  {
    name: "catch-all, few outcomes",
    provider: "zoho",
    subStatus: "catch_all",
    share: 0.02,
    scores: [50, 74],
    delivers: () => 0.8,
  },
];

const OUTCOMES = 1_000;
const DEPLOYMENTS = 500;
const FRESH_PER_SORT = 200;
const ENOUGH = 200;
const PROMISED_POINTS = 3;
const MAX_HELPED_POINTS = 27;

let state = 7;
const chance = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 4_294_967_296;
};

type Errors = { before: number[]; calibrated: number[]; truth: number[] };
const groups = new Map<string, Errors>();
const note = (group: string, kind: keyof Errors, error: number) => {
  const errors = groups.get(group) ?? { before: [], calibrated: [], truth: [] };
  errors[kind].push(error);
  groups.set(group, errors);
};

for (let n = 0; n < DEPLOYMENTS; n++) simulate();
const providers = [...new Set(SORTS.map(({ provider }) => provider))];
console.log(
  `${DEPLOYMENTS} deployments, ${OUTCOMES} outcomes each. Predicted against real bounce rate, in points (mean absolute; share within ${PROMISED_POINTS}):\n`,
);
console.log(row("", "before", "after, of these outcomes", "after, of the true rates"));
for (const name of ["overall", ...providers, ...SORTS.map(({ name }) => name)]) {
  const errors = groups.get(name);
  if (errors)
    console.log(row(name, inWords(errors.before), inWords(errors.calibrated), inWords(errors.truth)));
}
const held = ["overall", ...providers.filter((name) => name !== "zoho")];
// A score may move by 30 points, so larger deviations cannot be corrected completely.
const missesOf = ({ before, calibrated }: Errors) =>
  calibrated.filter((error, n) => error > PROMISED_POINTS && before[n]! <= MAX_HELPED_POINTS);
const isKept = held.every((name) => missesOf(groups.get(name)!).length === 0);
console.log(
  `\nWithin ${PROMISED_POINTS} points of these outcomes, overall and for every provider with at least ${ENOUGH}, where the scores were off by no more than ${MAX_HELPED_POINTS} points: ${isKept ? "always" : "NOT always"}.`,
);
if (!isKept) process.exitCode = 1;

function simulate(): void {
  const reported = Array.from({ length: OUTCOMES }, () => {
    const sort = drawSort();
    const score = drawScore(sort);
    return { sort, score, bounced: chance() >= sort.delivers(score) };
  });
  const cells = new Map<string, CalibrationCell>();
  for (const { sort, score, bounced } of reported) {
    const band = bandOf(score, sort.subStatus);
    const key = `${sort.provider} ${band}`;
    const cell = cells.get(key) ?? { provider: sort.provider, band, outcomes: 0, bounced: 0, predicted: 0 };
    cell.outcomes++;
    cell.bounced += Number(bounced);
    cell.predicted += predictedBounceRate(score);
    cells.set(key, cell);
  }
  const calibration = calibrationFrom([...cells.values()]);
  const after = (sort: Sort, score: number) =>
    predictedBounceRate(calibrateScore(score, sort.subStatus, sort.provider, calibration));

  for (const name of ["overall", ...new Set(SORTS.flatMap(({ provider, name: own }) => [provider, own]))]) {
    const isIn = ({ provider, name: own }: Sort) => name === "overall" || name === provider || name === own;
    const ones = reported.filter(({ sort }) => isIn(sort));
    const real = mean(ones.map(({ bounced }) => Number(bounced)));
    note(name, "before", 100 * Math.abs(mean(ones.map(({ score }) => predictedBounceRate(score))) - real));
    note(name, "calibrated", 100 * Math.abs(mean(ones.map(({ sort, score }) => after(sort, score))) - real));

    const sorts = SORTS.filter(isIn);
    const all = sorts.reduce((sum, { share }) => sum + share, 0);
    const gap = sorts.reduce((sum, sort) => {
      const fresh = Array.from({ length: FRESH_PER_SORT }, () => drawScore(sort));
      return (
        sum + (sort.share / all) * mean(fresh.map((score) => after(sort, score) - 1 + sort.delivers(score)))
      );
    }, 0);
    note(name, "truth", 100 * Math.abs(gap));
  }
}

function drawSort(): Sort {
  let left = chance() * SORTS.reduce((sum, { share }) => sum + share, 0);
  for (const sort of SORTS) {
    left -= sort.share;
    if (left < 0) return sort;
  }
  return SORTS[0]!;
}

function drawScore({ scores: [from, to] }: Sort): number {
  return from + Math.floor(chance() * (to - from + 1));
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
}

function inWords(errors: readonly number[]): string {
  const within = errors.filter((error) => error <= PROMISED_POINTS).length / errors.length;
  return `${mean(errors).toFixed(1)} (${Math.round(100 * within)} %)`;
}

function row(name: string, ...cells: string[]): string {
  return [name.padEnd(28), ...cells.map((text) => text.padStart(26))].join("");
}
