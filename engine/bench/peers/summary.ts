/** Ranges over several runs: rates, how many times as fast Mailvet was in the same run, connections, CPU time, verdicts. */
import type { Measurement } from "../smtp/measure.ts";

/** One round of all checkers with one shape; ratios are taken within it. */
export type Round = readonly Measurement[];

const MAILVET = ["mailvet library", "mailvet service", "mailvet CLI"];

const HEADINGS = [
  "checker",
  "addresses/s",
  "library is × as fast",
  "service is × as fast",
  "CLI is × as fast",
  "connections",
  "most at once",
  "CPU ms/host",
  "right verdicts",
  "live → dead",
  "without QUIT",
] as const;

export function summaryRows(rounds: readonly Round[]): string[][] {
  const names = (rounds[0] ?? []).map(({ checker }) => checker);
  return names.sort(byPlace).map((name) => {
    const all = rounds.flatMap((round) => round.filter(({ checker }) => checker === name));
    const over = (of: (one: Measurement) => number, digits = 0) => rangeOf(all.map(of), digits);
    return [
      name,
      over(({ rate }) => rate, all.some(({ rate }) => rate < 20) ? 1 : 0),
      ...MAILVET.map((mailvet) => ratiosOf(mailvet, name, rounds)),
      over(({ connections }) => connections),
      over(({ mostAtOnce }) => mostAtOnce),
      over(({ cpuMsPerHost }) => cpuMsPerHost, 2),
      `${over(({ right }) => right)} of ${grouped(all[0]!.addresses, 0)}`,
      over(({ liveCalledDead }) => liveCalledDead),
      over(({ endedWithoutQuit }) => endedWithoutQuit),
    ];
  });
}

export function markdownTable(rounds: readonly Round[]): string {
  const rows = [[...HEADINGS], HEADINGS.map(() => "---"), ...summaryRows(rounds)];
  return rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

export function plainTable(rounds: readonly Round[]): string {
  const rows = [[...HEADINGS], ...summaryRows(rounds)];
  const widths = HEADINGS.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)).join("  ")).join("\n");
}

const PLACES = ["raw client", ...MAILVET];

/** The limit first, then Mailvet, then the peers. */
function byPlace(a: string, b: string): number {
  const place = (name: string) => (PLACES.indexOf(name) + PLACES.length + 1) % (PLACES.length + 1);
  return place(a) - place(b) || (a < b ? -1 : 1);
}

/** Empty where one of the two was not measured, or both are the same. */
function ratiosOf(mailvet: string, name: string, rounds: readonly Round[]): string {
  if (mailvet === name) return "";
  const ratios = rounds.map((round) => rateIn(round, mailvet) / rateIn(round, name));
  return ratios.some(Number.isNaN) ? "" : rangeOf(ratios, 2);
}

function rateIn(round: Round, checker: string): number {
  return round.find((one) => one.checker === checker)?.rate ?? Number.NaN;
}

/** "12 to 15", or "12" when there is nothing between. */
export function rangeOf(values: readonly number[], digits: number): string {
  const low = grouped(Math.min(...values), digits);
  const high = grouped(Math.max(...values), digits);
  return low === high ? low : `${low} to ${high}`;
}

function grouped(value: number, digits: number): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
