/** Gathers what a request tells, before anything of it is stored: the newest outcome of each mailbox, and every row counted. */
import {
  type DeliveryOutcome,
  type FeedbackSummary,
  MAX_UNREADABLE_SHOWN,
  OUTCOMES,
  type UnreadableRow,
} from "@mailvet/contract";
import { emailIdentity } from "@mailvet/engine/list-file";
import type { OutcomeRow } from "./outcome-file.ts";

/** What became of the last message to a mailbox. */
export type OutcomeReport = { outcome: DeliveryOutcome; atMs: number };

export type Aggregation = {
  add(row: OutcomeRow): void;
  /** By normalised address. */
  readonly told: ReadonlyMap<string, OutcomeReport>;
  readonly counts: Pick<
    FeedbackSummary,
    "received" | "superseded" | "ignored" | "unreadable" | "unreadable_rows"
  >;
};

export type AggregationOptions = {
  nowMs: number;
  /** Outcomes from before are of no use any more, save for complaints. */
  oldestMs: number;
  isSandbox(normalized: string): boolean;
};

export function createAggregation({ nowMs, oldestMs, isSandbox }: AggregationOptions): Aggregation {
  const told = new Map<string, OutcomeReport>();
  const unreadableRows: UnreadableRow[] = [];
  const counts = { received: 0, superseded: 0, ignored: 0, unreadable: 0, unreadable_rows: unreadableRows };

  const cannotRead = (reason: string) => {
    counts.unreadable++;
    if (unreadableRows.length < MAX_UNREADABLE_SHOWN) unreadableRows.push({ row: counts.received, reason });
  };

  return {
    told,
    counts,
    add({ email, meaning, word, occurredAtMs }) {
      counts.received++;
      if (email === "") return cannotRead("There is no email in it.");
      const address = emailIdentity(email);
      if (address.startsWith(" ")) return cannotRead("What stands where the email should be is no address.");
      if (meaning === undefined)
        return cannotRead(word === "" ? "It says no outcome." : `“${word}” is not understood as an outcome.`);
      const atMs = Math.min(occurredAtMs ?? nowMs, nowMs);
      const isTooOld = atMs < oldestMs && meaning !== "complained";
      if (!isOutcome(meaning) || isTooOld || isSandbox(address)) {
        counts.ignored++;
        return;
      }
      const one = { outcome: meaning, atMs };
      const other = told.get(address);
      if (other) counts.superseded++;
      if (!other || isNewer(one, other)) told.set(address, one);
    },
  };
}

function isOutcome(meaning: string): meaning is DeliveryOutcome {
  return (OUTCOMES as readonly string[]).includes(meaning);
}

/** Of the same moment, or where none is told, the more telling one counts: what is sent may still bounce. */
export function isNewer(one: OutcomeReport, other: OutcomeReport): boolean {
  return one.atMs === other.atMs
    ? OUTCOMES.indexOf(one.outcome) >= OUTCOMES.indexOf(other.outcome)
    : one.atMs > other.atMs;
}
