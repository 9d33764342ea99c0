/**
 * Learning from outcomes: what became of messages, told by those who sent them.
 *
 * A request is read to its end first; then what it tells is stored, a part at a time. Telling the same again changes
 * nothing, so whoever was interrupted sends it once more.
 */
import type { FeedbackReport, FeedbackSummary, ReportedOutcome } from "@mailvet/contract";
import type { Caller } from "../caller.ts";
import type { Database } from "../db/database.ts";
import { startTimeSlice } from "../event-loop-yield.ts";
import { addressHash } from "./address-hash.ts";
import { type Aggregation, createAggregation, type OutcomeReport } from "./aggregation.ts";
import type { CalibrationCache } from "./calibration-cache.ts";
import { feedbackReport, readGroups } from "./feedback-report.ts";
import { type OutcomeRow, readOutcomeFile } from "./outcome-file.ts";
import {
  eraseOldOutcomes,
  eraseTooManyOutcomes,
  forgetOutcomes,
  type StoredPrediction,
  storeOutcomes,
} from "./outcome-store.ts";

export type Feedback = {
  take(caller: Caller, outcomes: readonly ReportedOutcome[]): Promise<FeedbackSummary>;
  /** A file of outcomes, while it arrives. */
  takeFile(caller: Caller, bytes: AsyncIterable<Uint8Array>): Promise<FeedbackSummary>;
  report(accountId: string): Promise<FeedbackReport>;
  /** Erases everything the account told, and what was learned from it. A test key told nothing. */
  forget(caller: Caller): Promise<void>;
  /** Erases outcomes whose time is over; says how many. */
  eraseOld(): Promise<number>;
  /** Erases the oldest of accounts that told more than anyone's campaigns come to; says how many. */
  eraseTooMany(): Promise<number>;
};

/** What we last said of a mailbox, and when. */
export type Rescored = StoredPrediction & { checkedAtMs: number };

export type FeedbackDeps = {
  database: Database;
  calibrations: CalibrationCache;
  /** The last scores, by normalised address. Implementation: validations/rescore.ts. */
  rescore(accountId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, Rescored>>;
  sandboxDomain: string;
  limits: { maxEmailsPerFile: number; maxUploadBytes: number };
};

const KEPT_DAYS = 180;
/** Of one account; some 150 MB in the database. */
const MOST_KEPT = 1_000_000;
const DAY_MS = 24 * 3_600_000;
/** What was said later than this after a message cannot have been about it; clocks and time zones differ. */
const SAID_AFTER_MS = DAY_MS;
const STORED_AT_ONCE = 2_000;
/** All of a file is held until its end is known to be fine. */
const MOST_ROWS = 250_000;
/** Text that unpacks to more than this many times what may be sent was not made by people. */
const TEXT_PER_BYTE = 5;

export function createFeedback(deps: FeedbackDeps): Feedback {
  const { database, calibrations, rescore, sandboxDomain, limits } = deps;
  const inLine = oneAtATime();

  const gather = ({ by }: Caller, nowMs: number) =>
    createAggregation({
      nowMs,
      oldestMs: nowMs - KEPT_DAYS * DAY_MS,
      isSandbox: (address) => isTest(by) || address.endsWith(`@${sandboxDomain}`),
    });

  const storePart = async (accountId: string, part: Part) => {
    const said = await rescore(accountId, [...part.keys()]);
    const told = [...part].map(([address, { outcome, atMs }]) => {
      const last = said.get(address);
      const isBefore = last && last.checkedAtMs <= atMs + SAID_AFTER_MS;
      return { hash: addressHash(accountId, address), outcome, atMs, said: isBefore ? last : undefined };
    });
    return storeOutcomes(database, accountId, told);
  };

  const store = async (accountId: string, { told, counts }: Aggregation): Promise<FeedbackSummary> => {
    const summary = { ...counts, stored: 0, matched: 0 };
    for (const part of partsOf(told)) {
      const { stored, superseded, matched } = await inLine(accountId, () => storePart(accountId, part));
      summary.stored += stored;
      summary.superseded += superseded;
      summary.matched += matched;
    }
    return summary;
  };

  return {
    async take(caller, outcomes) {
      const gathering = gather(caller, Date.now());
      for (const outcome of outcomes) gathering.add(rowOf(outcome));
      return store(caller.accountId, gathering);
    },
    async takeFile(caller, bytes) {
      const gathering = gather(caller, Date.now());
      const turn = startTimeSlice();
      const rows = readOutcomeFile(bytes, {
        maxRows: Math.min(limits.maxEmailsPerFile, MOST_ROWS),
        maxTextBytes: TEXT_PER_BYTE * limits.maxUploadBytes,
      });
      for await (const batch of rows) {
        for (const row of batch) {
          gathering.add(row);
          if (turn.isOver) await turn.next();
        }
      }
      return store(caller.accountId, gathering);
    },
    async report(accountId) {
      const from = new Date(Date.now() - KEPT_DAYS * DAY_MS).toISOString().slice(0, 10);
      const [groups, lesson] = await Promise.all([
        readGroups(database.pool, accountId, from),
        calibrations.find(accountId),
      ]);
      return feedbackReport(groups, lesson?.calibration, from);
    },
    async forget({ accountId, by }) {
      if (!isTest(by)) await inLine(accountId, () => forgetOutcomes(database, accountId));
    },
    eraseOld: () => eraseOldOutcomes(database, KEPT_DAYS),
    eraseTooMany: () => eraseTooManyOutcomes(database, MOST_KEPT),
  };
}

function isTest(by: Caller["by"]): boolean {
  return by.kind === "key" && by.isTest;
}

function rowOf({ email, outcome, occurred_at }: ReportedOutcome): OutcomeRow {
  const occurredAtMs = occurred_at === undefined ? undefined : Date.parse(occurred_at);
  return { email: email.trim(), meaning: outcome, word: outcome, occurredAtMs };
}

type Part = Map<string, OutcomeReport>;

function* partsOf(told: Aggregation["told"]): Generator<Part> {
  let part: Part = new Map();
  for (const [address, one] of told) {
    part.set(address, one);
    if (part.size < STORED_AT_ONCE) continue;
    yield part;
    part = new Map();
  }
  if (part.size > 0) yield part;
}

/** Those of one account take turns here already: waiting for each other in the database would take a connection each. */
function oneAtATime(): <T>(accountId: string, work: () => Promise<T>) => Promise<T> {
  const lasts = new Map<string, Promise<unknown>>();
  return (accountId, work) => {
    const done = (lasts.get(accountId) ?? Promise.resolve()).then(work);
    const settled = done
      .catch(() => {})
      .finally(() => {
        if (lasts.get(accountId) === settled) lasts.delete(accountId);
      });
    lasts.set(accountId, settled);
    return done;
  };
}
