/**
 * Throughput of offline inspection: parse, normalise, look up every list, decide. Compared in the same run with
 * isEmail of the `validator` package, which only parses. Also the cost of scoring the local part, of loading and
 * querying the list of disposable domains, and whether hostile input stays linear.
 *
 *   npm run bench:engine
 */
import validator from "validator";
import { createInspection, type Inspect } from "#src/offline-inspection";
import { loadNameModel } from "#src/plausibility/name-model/name-model";
import { loadDisposables } from "#src/reference/disposable";
import { decide } from "#src/verdict";
import { hostileShapes, mixedAddresses } from "./addresses.ts";

const ADDRESSES = 100_000;
const ROUNDS = 5;
const HOSTILE_LENGTH = 100_000;
const LINEAR_LIMIT = 2.5;
const NAME_LIMIT_US = 20;
const LIST_LOAD_LIMIT_MS = 200;
const LOOKUP_LIMIT_US = 5;

const addresses = mixedAddresses(ADDRESSES);
const listLoadMs = cpuMsOf(() => Number(loadDisposables().isDisposableDomain("warm.example")));
const disposables = loadDisposables();
const inspect = createInspection({ disposables });
const inspectWithName = createInspection({ disposables, nameModel: loadNameModel() });

const judgeWith = (inspect: Inspect) => () => {
  let valid = 0;
  for (const address of addresses) if (decide(inspect(address)).status !== "invalid") valid++;
  return valid;
};
const parseOnly = () => {
  let valid = 0;
  for (const address of addresses) if (validator.isEmail(address)) valid++;
  return valid;
};

// Alternating rounds, so that other load affects both alike; the first of each warms up.
const times: Record<"mailvet" | "validator", number[]> = { mailvet: [], validator: [] };
for (let round = 0; round <= ROUNDS; round++) {
  times.mailvet.push(cpuMsOf(judgeWith(inspect)));
  times.validator.push(cpuMsOf(parseOnly));
}
const rateOf = (ms: number[]) => Math.round(ADDRESSES / (median(ms.slice(1)) / 1000));
const ours = rateOf(times.mailvet);
const theirs = rateOf(times.validator);
console.log(
  `${ADDRESSES.toLocaleString("en")} mixed addresses, median of ${ROUNDS} rounds, one core, CPU time`,
);
console.log(`  mailvet    ${ours.toLocaleString("en").padStart(9)} /s   parse + normalise + lists + verdict`);
console.log(`  validator  ${theirs.toLocaleString("en").padStart(9)} /s   isEmail, parse only`);
console.log(`  ratio      ${(ours / theirs).toFixed(2).padStart(9)}      (wanted: at least 1)`);

const withoutName: number[] = [];
const withName: number[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  withoutName.push(cpuMsOf(judgeWith(inspect)));
  withName.push(cpuMsOf(judgeWith(inspectWithName)));
}
const nameUs = ((median(withName.slice(1)) - median(withoutName.slice(1))) / ADDRESSES) * 1000;
console.log(
  `  AI         ${nameUs.toFixed(2).padStart(9)} µs  to read a mailbox name (wanted: at most ${NAME_LIMIT_US})`,
);

const names = Array.from({ length: ADDRESSES }, (_, i) => `company-${(i * 7919) % ADDRESSES}.example.org`);
const lookUp = () => names.filter(disposables.isDisposableDomain).length;
const lookupUs = (median(Array.from({ length: ROUNDS }, () => cpuMsOf(lookUp))) / ADDRESSES) * 1000;
console.log(
  `  lists      ${lookupUs.toFixed(2).padStart(9)} µs  to look up a domain (wanted: at most ${LOOKUP_LIMIT_US}), ` +
    `${listLoadMs.toFixed(0)} ms to load (wanted: at most ${LIST_LOAD_LIMIT_MS})`,
);

console.log(`\nhostile input, time for ${HOSTILE_LENGTH.toLocaleString("en")} characters against half of it`);
let worst = 0;
for (const [name, make] of hostileShapes) {
  const half = hostileMs(make(HOSTILE_LENGTH / 2));
  const whole = hostileMs(make(HOSTILE_LENGTH));
  // Below a tenth of a millisecond only the clock would be measured.
  const ratio = whole < 0.1 ? 1 : whole / half;
  worst = Math.max(worst, ratio);
  console.log(`  ${name.padEnd(24)} ${whole.toFixed(3).padStart(8)} ms   × ${ratio.toFixed(2)}`);
}
console.log(`  worst growth × ${worst.toFixed(2)}   (wanted: at most ${LINEAR_LIMIT})`);

const isListSlow = listLoadMs > LIST_LOAD_LIMIT_MS || lookupUs > LOOKUP_LIMIT_US;
if (ours < theirs || worst > LINEAR_LIMIT || nameUs > NAME_LIMIT_US || isListSlow) process.exitCode = 1;

function hostileMs(text: string): number {
  const runs = Array.from({ length: 9 }, () => {
    const started = performance.now();
    decide(inspectWithName(text));
    return performance.now() - started;
  });
  return median(runs);
}

function cpuMsOf(work: () => number): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
