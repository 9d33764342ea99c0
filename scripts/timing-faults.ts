/**
 * Finds what makes a test depend on the speed of the machine: assertions on elapsed time, waiting that gives up early, and
 * fixed sleeps. An intended use carries a comment on its line or the line above: `// timing: why it holds anywhere`.
 *
 * Works on the text, with balanced brackets; the compiler's API is not available everywhere.
 */
export type TimingFault = { line: number; what: string };

/** A wait with a shorter limit than this may time out on a busy machine. */
const PATIENT_MS = 60_000;

const ADVICE = {
  elapsed: "asserts elapsed time: count events or round trips, set the clock, or measure it in bench/",
  impatient: "gives up waiting early: leave the limit to vitest.config.ts, or wait for a minute or more",
  sleep: "sleeps for a fixed time: wait for the event itself",
};

const EXCUSE = /\/\/ timing: \S/;
const CLOCK = /\b(?:performance|Date)\.now\(\)|cpuUsage\(/;
const DURATION =
  /\b(?:elapsed|took|duration|waited)(?:Ms|Seconds|Micros)?\b|\w(?:Elapsed|Took|Duration|Waited)(?:Ms|Seconds|Micros)?\b/;

export function timingFaults(text: string): TimingFault[] {
  const lines = text.split("\n");
  const faults: TimingFault[] = [];
  const report = (from: number, to: number, what: string) => {
    const first = lineAt(text, from);
    const isExcused = lines.slice(Math.max(0, first - 2), lineAt(text, to)).some((line) => EXCUSE.test(line));
    if (!isExcused && !faults.some((one) => one.line === first)) faults.push({ line: first, what });
  };
  for (const { at, args, end } of callsOf(text, /(?<![\w.])expect\(/g)) {
    const matcher = /^(?:\s*\.not)?\s*\.toBe(?:Less|Greater)Than(?:OrEqual)?\(/.exec(text.slice(end));
    if (!matcher) continue;
    const limit = argsAt(text, end + matcher[0].length);
    const isOfTime = [args[0]!, limit.args[0] ?? ""].some((one) => isTime(one, measuredIn(text)));
    if (isOfTime && !isWide(limit.args[0] ?? "")) report(at, limit.end, ADVICE.elapsed);
  }
  for (const { at, args, end } of callsOf(text, /\bexpect\s*\.poll\(/g))
    if (isImpatient(args[1])) report(at, end, ADVICE.impatient);
  for (const { at, args, end } of callsOf(text, /\bvi\.wait(?:For|Until)\(/g))
    if (args[1] === undefined || isImpatient(args[1])) report(at, end, ADVICE.impatient); // a second, by default
  for (const found of text.matchAll(/^ *\}, ([\d_]+)\);$|= \{ timeout: ([\d_]+), interval: [\d_]+ \}/gm))
    if (isBetween(1000, PATIENT_MS, numberIn(found[1] ?? found[2]!)))
      // less is the interval of a timer
      report(found.index, found.index + found[0].length, ADVICE.impatient);
  for (const { index, 0: found } of text.matchAll(sleepsIn(text)))
    report(index, index + found.length, ADVICE.sleep);
  return faults.sort((one, other) => one.line - other.line);
}

/** Names of values that are the difference of two readings of the clock. */
function measuredIn(text: string): RegExp | undefined {
  const names = [...text.matchAll(/\b(?:const|let) (\w+) = [^;>]*?(?:performance|Date)\.now\(\) - /g)].map(
    ([, name]) => name,
  );
  return names.length === 0 ? undefined : new RegExp(`\\b(?:${names.join("|")})\\b`);
}

function isTime(expression: string, measured: RegExp | undefined): boolean {
  return CLOCK.test(expression) || DURATION.test(expression) || measured?.test(expression) === true;
}

/** A limit of a minute or more, in numbers alone. */
function isWide(limit: string): boolean {
  const factors = limit.split("*").map((factor) => numberIn(factor.trim()));
  return factors.reduce((product, factor) => product * factor, 1) >= PATIENT_MS;
}

function isImpatient(options = ""): boolean {
  const limit = /^[\d_]+$/.exec(options.trim())?.[0] ?? /\btimeout: ([\d_]+)/.exec(options)?.[1];
  return limit !== undefined && numberIn(limit) < PATIENT_MS;
}

/** Calls of a sleep function in this file with a literal duration. */
function sleepsIn(text: string): RegExp {
  const imported = /import \{[^}]*\bsetTimeout as (\w+)[^}]*\} from "node:timers\/promises"/.exec(text)?.[1];
  const written = text.matchAll(
    /const (\w+) = \((\w+)(?:: number)?\) =>\s+new Promise[^;]*?setTimeout\(\w+, \2\)/g,
  );
  const names = [imported, ...[...written].map(([, name]) => name)].filter((name) => name !== undefined);
  const calls = [...names.map((name) => `(?<![\\w.])${name}\\(`), "\\.waitForTimeout\\("].join("|");
  return new RegExp(`(?:${calls})\\d|new Promise[^;]{0,60}?setTimeout\\(\\w+, \\d`, "g");
}

/** Each call with its arguments as text. */
function* callsOf(text: string, call: RegExp): Generator<{ at: number; args: string[]; end: number }> {
  for (const { index, 0: head } of text.matchAll(call))
    yield { at: index, ...argsAt(text, index + head.length) };
}

/** The arguments from behind the opening bracket, and where the call ends. */
function argsAt(text: string, start: number): { args: string[]; end: number } {
  const args: string[] = [];
  let from = start;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at]!;
    if (`"'\``.includes(sign)) at = endOfString(text, at);
    else if ("([{".includes(sign)) depth++;
    else if (")]}".includes(sign) && depth-- === 0) {
      const last = text.slice(from, at).trim();
      return { args: last === "" ? args : [...args, last], end: at + 1 };
    } else if (sign === "," && depth === 0) {
      args.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return { args, end: text.length };
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === text[start]) return at;
  }
  return text.length;
}

function numberIn(text: string): number {
  return /^[\d_.]+$/.test(text) ? Number(text.replaceAll("_", "")) : Number.NaN;
}

function isBetween(low: number, high: number, value: number): boolean {
  return low <= value && value < high;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
