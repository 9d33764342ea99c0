/**
 * Feedback: outcomes of messages, as reported by their senders.
 *
 * A request is read completely, then its outcomes are stored in parts. Reporting the same again has no effect, so an
 * interrupted request can be repeated.
 */
import type { FeedbackReport, FeedbackSummary, ReportedOutcome } from "@mailvet/contract";
import type { Caller, Owner } from "../base/caller.ts";
import { startTimeSlice } from "../base/event-loop-yield.ts";
import type { BeforeCommit, Database } from "../db/database.ts";
import { addressHash } from "./address-hash.ts";
import type { CalibrationCache } from "./calibration-cache.ts";
import { feedbackReport, readGroups } from "./feedback-report.ts";
import { type Aggregation, createAggregation, type OutcomeReport } from "./newest-outcomes.ts";
import { type OutcomeRow, readOutcomeFile } from "./outcome-file.ts";
import {
  deleteOldOutcomes,
  deleteOutcomes,
  deleteSurplusOutcomes,
  type StoredPrediction,
  storeOutcomes,
} from "./outcome-store.ts";

export type Feedback = {
  report(caller: Caller, outcomes: readonly ReportedOutcome[]): Promise<FeedbackSummary>;
  /** A file of outcomes, read as a stream. */
  reportFile(caller: Caller, bytes: AsyncIterable<Uint8Array>): Promise<FeedbackSummary>;
  summarize(owner: Owner): Promise<FeedbackReport>;
  /** Deletes all outcomes of the account and its calibration. No effect for a test key. */
  deleteAll(caller: Caller, beforeCommit?: BeforeCommit<void>): Promise<void>;
  /** Deletes expired outcomes; returns how many. */
  deleteOld(): Promise<number>;
  /** Deletes the oldest outcomes of accounts over the limit; returns how many. */
  deleteSurplus(): Promise<number>;
};

/** The last prediction for a mailbox, and when it was made. */
export type Rescored = StoredPrediction & { checkedAtMs: number };

export type FeedbackDeps = {
  database: Database;
  calibrations: CalibrationCache;
  /** The last scores, by normalised address. Implementation: validations/rescore.ts. */
  rescore(accountId: string, addresses: readonly string[]): Promise<ReadonlyMap<string, Rescored>>;
  sandboxDomain: string;
  limits: { maxEmailsPerFile: number; maxUploadBytes: number };
};

const RETENTION_DAYS = 180;
/** Per account; about 150 MB in the database. */
const MAX_STORED = 1_000_000;
const DAY_MS = 24 * 3_600_000;
/** A later prediction cannot have been made for the message; clocks and time zones differ. */
const PREDICTED_AFTER_MS = DAY_MS;
const PART_SIZE = 2_000;
/** A file is kept in memory until it was read completely. */
const MAX_ROWS = 250_000;
/** Limit of decompressed text, as a multiple of the upload limit. */
const TEXT_PER_BYTE = 5;

export function createFeedback(deps: FeedbackDeps): Feedback {
  const { database, calibrations, rescore, sandboxDomain, limits } = deps;
  const inTurn = perAccountQueue();
  const changeOutcomes = async <T>(accountId: string, change: () => Promise<T>): Promise<T> => {
    const result = await inTurn(accountId, change);
    calibrations.invalidate(accountId);
    return result;
  };

  const startAggregation = (caller: Caller, nowMs: number) =>
    createAggregation({
      nowMs,
      oldestMs: nowMs - RETENTION_DAYS * DAY_MS,
      isSandbox: (address) => caller.isTest || address.endsWith(`@${sandboxDomain}`),
    });

  const storePart = async (accountId: string, part: Part) => {
    const predictions = await rescore(accountId, [...part.keys()]);
    const outcomes = [...part].map(([address, { outcome, atMs }]) => {
      const last = predictions.get(address);
      const isBefore = last && last.checkedAtMs <= atMs + PREDICTED_AFTER_MS;
      return { hash: addressHash(accountId, address), outcome, atMs, predicted: isBefore ? last : undefined };
    });
    return storeOutcomes(database, accountId, outcomes);
  };

  const store = async (accountId: string, { newest, counts }: Aggregation): Promise<FeedbackSummary> => {
    const summary = { ...counts, stored: 0, matched: 0 };
    for (const part of partsOf(newest)) {
      const { stored, superseded, matched } = await changeOutcomes(accountId, () =>
        storePart(accountId, part),
      );
      summary.stored += stored;
      summary.superseded += superseded;
      summary.matched += matched;
    }
    return summary;
  };

  return {
    async report(caller, outcomes) {
      const aggregation = startAggregation(caller, Date.now());
      for (const outcome of outcomes) aggregation.add(rowOf(outcome));
      return store(caller.accountId, aggregation);
    },
    async reportFile(caller, bytes) {
      const aggregation = startAggregation(caller, Date.now());
      const timeSlice = startTimeSlice();
      const rows = readOutcomeFile(bytes, {
        maxRows: Math.min(limits.maxEmailsPerFile, MAX_ROWS),
        maxTextBytes: TEXT_PER_BYTE * limits.maxUploadBytes,
      });
      for await (const batch of rows) {
        for (const row of batch) {
          aggregation.add(row);
          if (timeSlice.isOver) await timeSlice.next();
        }
      }
      return store(caller.accountId, aggregation);
    },
    async summarize({ accountId, isTest }) {
      const from = new Date(Date.now() - RETENTION_DAYS * DAY_MS).toISOString().slice(0, 10);
      if (isTest) return feedbackReport([], undefined, from); // its outcomes are not stored
      const [groups, calibrated] = await Promise.all([
        readGroups(database.pool, accountId, from),
        calibrations.find(accountId),
      ]);
      return feedbackReport(groups, calibrated?.calibration, from);
    },
    async deleteAll(caller, beforeCommit) {
      const { accountId } = caller;
      if (!caller.isTest)
        await changeOutcomes(accountId, () => deleteOutcomes(database, accountId, beforeCommit));
    },
    deleteOld: () => deleteOldOutcomes(database, RETENTION_DAYS),
    deleteSurplus: () => deleteSurplusOutcomes(database, MAX_STORED),
  };
}

function rowOf({ email, outcome, occurred_at }: ReportedOutcome): OutcomeRow {
  const occurredAtMs = occurred_at === undefined ? undefined : Date.parse(occurred_at);
  return { email: email.trim(), meaning: outcome, word: outcome, occurredAtMs };
}

type Part = Map<string, OutcomeReport>;

function* partsOf(newest: Aggregation["newest"]): Generator<Part> {
  let part: Part = new Map();
  for (const [address, one] of newest) {
    part.set(address, one);
    if (part.size < PART_SIZE) continue;
    yield part;
    part = new Map();
  }
  if (part.size > 0) yield part;
}

/** Requests of one account take turns here: waiting for its lock in the database would take a connection each. */
function perAccountQueue(): <T>(accountId: string, work: () => Promise<T>) => Promise<T> {
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
