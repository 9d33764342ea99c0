/** Aggregates the outcomes of one request before they are stored: the newest per mailbox, and counts of all rows. */
import {
  type DeliveryOutcome,
  type FeedbackSummary,
  MAX_UNREADABLE_SHOWN,
  OUTCOMES,
  type UnreadableRow,
} from "@mailvet/contract";
import { emailIdentity } from "@mailvet/engine/list-file";
import type { OutcomeRow } from "./outcome-file.ts";

/** The outcome of a message to a mailbox. */
export type OutcomeReport = { outcome: DeliveryOutcome; atMs: number };

export type Aggregation = {
  add(row: OutcomeRow): void;
  /** By normalised address. */
  readonly newest: ReadonlyMap<string, OutcomeReport>;
  readonly counts: Pick<
    FeedbackSummary,
    "received" | "superseded" | "ignored" | "unreadable" | "unreadable_rows"
  >;
};

export type AggregationOptions = {
  nowMs: number;
  /** Older outcomes are ignored, except complaints. */
  oldestMs: number;
  isSandbox(normalized: string): boolean;
};

export function createAggregation({ nowMs, oldestMs, isSandbox }: AggregationOptions): Aggregation {
  const newest = new Map<string, OutcomeReport>();
  const unreadableRows: UnreadableRow[] = [];
  const counts = { received: 0, superseded: 0, ignored: 0, unreadable: 0, unreadable_rows: unreadableRows };

  const reject = (reason: string) => {
    counts.unreadable++;
    if (unreadableRows.length < MAX_UNREADABLE_SHOWN) unreadableRows.push({ row: counts.received, reason });
  };

  return {
    newest,
    counts,
    add({ email, meaning, word, occurredAtMs }) {
      counts.received++;
      if (email === "") return reject("The email is missing.");
      const address = emailIdentity(email);
      if (address.startsWith(" ")) return reject("The email is not a valid address.");
      if (meaning === undefined)
        return reject(word === "" ? "The outcome is missing." : `“${word}” is not a known outcome.`);
      const atMs = Math.min(occurredAtMs ?? nowMs, nowMs);
      const isTooOld = atMs < oldestMs && meaning !== "complained";
      if (!isOutcome(meaning) || isTooOld || isSandbox(address)) {
        counts.ignored++;
        return;
      }
      const one = { outcome: meaning, atMs };
      const other = newest.get(address);
      if (other) counts.superseded++;
      if (!other || isNewer(one, other)) newest.set(address, one);
    },
  };
}

function isOutcome(meaning: string): meaning is DeliveryOutcome {
  return (OUTCOMES as readonly string[]).includes(meaning);
}

/** At equal times the more significant outcome wins: a delivered message may still bounce. */
export function isNewer(one: OutcomeReport, other: OutcomeReport): boolean {
  return one.atMs === other.atMs
    ? OUTCOMES.indexOf(one.outcome) >= OUTCOMES.indexOf(other.outcome)
    : one.atMs > other.atMs;
}
