/**
 * Checks the unique emails of a list with the engine on this machine and stores a verdict for every row. Verdicts
 * arrive in any order. Emails that were greylisted or rate limited are retried at the end (greylist-retry.ts).
 */
import type { Status } from "@mailvet/contract";
import { CONCURRENCY, type Evidence, type Level, mapByDomain, type Verifier } from "@mailvet/engine";
import { createUniqueEmailIndex, emailIn } from "@mailvet/engine/list-file";
import { resultOf } from "../check/local-check.ts";
import { unlessInterrupted } from "../interruption.ts";
import { formatDuration } from "../output/duration.ts";
import { createRate, progressDisplayOn } from "../output/progress-state.ts";
import { type GreylistRetries, type ListedEmail, openGreylistRetries } from "./greylist-retry.ts";
import type { VerdictStore } from "./verdict-store.ts";

export type ListCheckDeps = {
  verifier: Pick<Verifier, "verify">;
  verdicts: VerdictStore;
  signal: AbortSignal;
};

export type ListCheckInput = {
  rows: AsyncIterable<string[][]>;
  rowCount: number;
  column: number;
  level: Level;
  /** Time for retries after every email was checked once. */
  patienceMs: number;
};

export type ListTally = {
  counts: Record<Status, number>;
  duplicates: number;
  blanks: number;
  /** Every email was checked at least once. */
  isComplete: boolean;
  seconds: number;
};

/** Updates the tally in place, so that it is correct even after an interruption. */
export async function checkList(deps: ListCheckDeps, input: ListCheckInput, tally: ListTally): Promise<void> {
  using retries = openGreylistRetries();
  using run = openRun(deps, input, tally, retries);
  const firstDeadline = () => Date.now() + input.patienceMs;
  await run.check(uniqueEmails(deps.verdicts, input, tally), firstDeadline);
  tally.isComplete = true;
  const deadlineMs = Date.now() + input.patienceMs;
  while (retries.count > 0) await run.check(retries.round(deps.signal, run.waitUntil), () => deadlineMs);
}

export function emptyTally(): ListTally {
  const counts = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
  return { counts, duplicates: 0, blanks: 0, isComplete: false, seconds: 0 };
}

async function* uniqueEmails(
  verdicts: VerdictStore,
  { rows, column }: ListCheckInput,
  tally: ListTally,
): AsyncGenerator<ListedEmail> {
  const census = createUniqueEmailIndex();
  for await (const batch of rows) {
    for (const cells of batch) {
      const email = emailIn(cells[column]);
      const firstRow = census.add(email);
      const row = census.rows;
      if (firstRow === row) yield { row, email, attempts: 0 };
      else if (firstRow === 0) tally.blanks++;
      else {
        tally.duplicates++;
        verdicts.setDuplicate(row, firstRow);
      }
    }
  }
}

/** Emails read ahead, to check those of a domain together. Results do not wait, so this takes little memory. */
const WINDOW = 100_000;

/** The display is updated while waiting, too. */
const TICK_MS = 1000;

function openRun(
  { verifier, verdicts, signal }: ListCheckDeps,
  { rowCount, level }: ListCheckInput,
  tally: ListTally,
  retries: GreylistRetries,
) {
  const { counts } = tally;
  const display = progressDisplayOn(process.stderr);
  const rate = createRate();
  const startedMs = performance.now();
  let checked = 0;
  let waitingUntilMs = 0;
  const show = () => {
    const done = checked + tally.duplicates + tally.blanks - retries.count;
    const ratePerSecond = tally.isComplete ? 0 : rate.of(done);
    const secondsLeft = ratePerSecond > 0 ? (rowCount - done) / ratePerSecond : undefined;
    const waitSeconds = (waitingUntilMs - Date.now()) / 1000;
    const when = tally.isComplete && waitSeconds > 0 ? ` in ${formatDuration(waitSeconds)}` : "";
    const note = retries.count > 0 ? `${retries.count.toLocaleString("en")} to retry${when}` : "";
    display.show({ done, total: rowCount, ratePerSecond, secondsLeft, note });
  };
  const store = (item: ListedEmail, evidence: Evidence, deadlineMs: number) => {
    const result = resultOf(evidence);
    verdicts.set(item.row, result);
    if (item.attempts > 0)
      counts.unknown--; // its previous verdict
    else checked++;
    counts[result.status]++;
    retries.add({ ...item, attempts: item.attempts + 1 }, result, deadlineMs);
  };
  const ticking = setInterval(show, TICK_MS);
  return {
    waitUntil(dueAtMs: number) {
      waitingUntilMs = dueAtMs;
    },
    /** Resolves when every email has a verdict. Deferred emails are queued for the next round, if due before the deadline. */
    async check(list: AsyncIterable<ListedEmail>, deadlineMs: () => number): Promise<void> {
      const options = { isOrdered: false, window: WINDOW, ...CONCURRENCY[level] };
      const results = mapByDomain(
        list,
        ({ email }) => email,
        options,
        async (item) => ({ item, evidence: await verifier.verify(item.email, level) }),
      );
      for (;;) {
        const { done, value } = await unlessInterrupted(results.next(), signal);
        if (done) return;
        store(value.item, value.evidence, deadlineMs());
      }
    },
    [Symbol.dispose]() {
      clearInterval(ticking);
      display[Symbol.dispose]();
      tally.seconds = (performance.now() - startedMs) / 1000;
    },
  };
}
