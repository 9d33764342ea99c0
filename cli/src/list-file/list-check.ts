/**
 * Checks the emails of a list with the engine on this machine, each different one once, and keeps the verdict of
 * every row. Results come as they come; those who asked for patience are asked again at the end.
 */
import type { Status } from "@mailvet/contract";
import type { Evidence, Level, Verifier } from "@mailvet/engine";
import { createEmailCensus, emailIn } from "@mailvet/engine/list-file";
import { resultOf, WIDTH } from "../check/local-check.ts";
import { unlessInterrupted } from "../interruption.ts";
import { sayDuration } from "../output/duration.ts";
import { createRate, meterOn } from "../output/progress-state.ts";
import { type Asked, openSecondAsking, type SecondAsking } from "./greylist-retry.ts";
import type { VerdictStore } from "./verdict-store.ts";

export type ListCheckDeps = {
  verifier: Pick<Verifier, "verifyMany">;
  verdicts: VerdictStore;
  signal: AbortSignal;
};

export type ListOrder = {
  rows: AsyncIterable<string[][]>;
  rowCount: number;
  column: number;
  level: Level;
  /** How long to wait, after everybody was asked once, for those who asked us to come back. */
  patienceMs: number;
};

export type ListTally = {
  counts: Record<Status, number>;
  duplicates: number;
  blanks: number;
  /** Everybody was asked at least once. */
  isComplete: boolean;
  seconds: number;
};

/** The tally grows as it goes, so that it is right even when the work is interrupted. */
export async function checkList(deps: ListCheckDeps, order: ListOrder, tally: ListTally): Promise<void> {
  using again = openSecondAsking();
  using run = openRun(deps, order, tally, again);
  const firstLatest = () => Date.now() + order.patienceMs;
  await run.ask(uniqueEmails(deps.verdicts, order, tally), firstLatest);
  tally.isComplete = true;
  const latestMs = Date.now() + order.patienceMs;
  while (again.count > 0) await run.ask(again.round(deps.signal, run.waitUntil), () => latestMs);
}

export function emptyTally(): ListTally {
  const counts = { valid: 0, invalid: 0, risky: 0, unknown: 0 };
  return { counts, duplicates: 0, blanks: 0, isComplete: false, seconds: 0 };
}

async function* uniqueEmails(
  verdicts: VerdictStore,
  { rows, column }: ListOrder,
  tally: ListTally,
): AsyncGenerator<Asked> {
  const census = createEmailCensus();
  for await (const batch of rows) {
    for (const cells of batch) {
      const email = emailIn(cells[column]);
      const firstRow = census.add(email);
      const row = census.rows;
      if (firstRow === row) yield { row, email, times: 0 };
      else if (firstRow === 0) tally.blanks++;
      else {
        tally.duplicates++;
        verdicts.repeat(row, firstRow);
      }
    }
  }
}

/** A bar that moves by itself while we only wait. */
const TICK_MS = 1000;

function openRun(
  { verifier, verdicts, signal }: ListCheckDeps,
  { rowCount, level }: ListOrder,
  tally: ListTally,
  again: SecondAsking,
) {
  const { counts } = tally;
  const meter = meterOn(process.stderr);
  const rate = createRate();
  const startedMs = performance.now();
  let answered = 0;
  let waitingUntilMs = 0;
  const show = () => {
    const done = answered + tally.duplicates + tally.blanks - again.count;
    const ratePerSecond = tally.isComplete ? 0 : rate.of(done);
    const secondsLeft = ratePerSecond > 0 ? (rowCount - done) / ratePerSecond : undefined;
    const waitSeconds = (waitingUntilMs - Date.now()) / 1000;
    const when = tally.isComplete && waitSeconds > 0 ? ` in ${sayDuration(waitSeconds)}` : "";
    const note = again.count > 0 ? `${again.count.toLocaleString("en")} to be asked again${when}` : "";
    meter.show({ done, total: rowCount, ratePerSecond, secondsLeft, note });
  };
  const keep = (asked: Asked, evidence: Evidence, latestMs: number) => {
    const result = resultOf(evidence, 0);
    if (asked.times > 0)
      counts.unknown--; // as it was until now
    else answered++;
    counts[result.status]++;
    verdicts.keep(asked.row, result);
    again.add({ ...asked, times: asked.times + 1 }, result, latestMs);
  };
  const ticking = setInterval(show, TICK_MS);
  return {
    waitUntil(dueAtMs: number) {
      waitingUntilMs = dueAtMs;
    },
    /** Until everybody has an answer. Those who put us off wait for the next time, if it comes before the latest. */
    async ask(list: AsyncIterable<Asked>, latestMs: () => number): Promise<void> {
      const underWay = new Map<string, Asked>();
      async function* emails() {
        for await (const asked of list) {
          underWay.set(asked.email, asked);
          yield asked.email;
        }
      }
      const answers = verifier.verifyMany(emails(), level, WIDTH[level]);
      for (;;) {
        const { done, value } = await unlessInterrupted(answers.next(), signal);
        if (done) return;
        keep(underWay.get(value.email)!, value, latestMs());
        underWay.delete(value.email);
      }
    },
    [Symbol.dispose]() {
      clearInterval(ticking);
      meter[Symbol.dispose]();
      tally.seconds = (performance.now() - startedMs) / 1000;
    },
  };
}
