/**
 * Cache of what an account's own outcomes say: the calibration of its scores, and the outcomes of single mailboxes.
 *
 * Outcomes of other accounts have no influence. Every process drops the entry of an account that reports outcomes.
 */
import type { DeliveryOutcome } from "@mailvet/contract";
import { type Calibration, type CalibrationCell, calibrationFrom, type KnownOutcome } from "@mailvet/engine";
import type pg from "pg";
import { createCachedLookup } from "../base/cached-lookup.ts";
import type { PubSub } from "../db/pubsub.ts";
import { addressHash } from "./address-hash.ts";
import { OUTCOMES_CHANGED } from "./outcome-store.ts";

export type CalibrationCache = {
  /** Undefined when the account has no outcomes. At once, if it is cached. */
  find(accountId: string): Promise<AccountCalibration | undefined> | AccountCalibration | undefined;
  /** The notification does the same in every process, but may come after the response. */
  invalidate(accountId: string): void;
};

export type AccountCalibration = {
  /** Undefined when no outcome matches a verdict. */
  calibration: Calibration | undefined;
  /** By normalised address. */
  outcomesOf(addresses: readonly string[]): Promise<ReadonlyMap<string, KnownOutcome>>;
};

const MAX_ACCOUNTS = 5_000;
const TTL_MS = 30_000; // in case notifications are lost

export function createCalibrationCache({
  pool,
  notices,
}: {
  pool: pg.Pool;
  notices: Pick<PubSub, "on">;
}): CalibrationCache {
  const accounts = createCachedLookup({
    load: (accountId) => load(pool, accountId),
    max: MAX_ACCOUNTS,
    ttlMs: TTL_MS,
  });
  notices.on(OUTCOMES_CHANGED, accounts.invalidate);
  return { find: (accountId) => accounts.find(accountId), invalidate: accounts.invalidate };
}

async function load(pool: pg.Pool, accountId: string): Promise<AccountCalibration | undefined> {
  const { rows } = await pool.query<{ has_outcomes: boolean; cells: CalibrationCell[] | null }>({
    name: "load_calibration",
    text: LOAD,
    values: [accountId],
  });
  const { has_outcomes: hasOutcomes, cells } = rows[0]!;
  if (!hasOutcomes && !cells) return undefined;
  const calibration = calibrationFrom(cells ?? []);
  return {
    calibration: calibration.outcomes > 0 ? calibration : undefined,
    outcomesOf: async (addresses) =>
      hasOutcomes && addresses.length > 0 ? recall(pool, accountId, addresses) : new Map(),
  };
}

const LOAD = `
  select exists (select from outcomes where account_id = $1) as has_outcomes,
    (select json_agg(json_build_object('provider', provider, 'band', band, 'outcomes', outcomes,
       'bounced', bounced, 'predicted', predicted))
     from calibration_cells where account_id = $1) as cells`;

type Row = { hash: string; outcome: DeliveryOutcome; reported_at: Date };

async function recall(pool: pg.Pool, accountId: string, addresses: readonly string[]) {
  const byHash = new Map(addresses.map((address) => [addressHash(accountId, address), address]));
  const hashes = [...byHash.keys()].map((hash) => Buffer.from(hash, "hex"));
  const { rows } = await pool.query<Row>({
    name: "recall_outcomes",
    text: RECALL,
    values: [accountId, hashes],
  });
  return new Map(
    rows.map(({ hash, outcome, reported_at }) => [
      byHash.get(hash)!,
      { outcome, reportedAtMs: reported_at.getTime() },
    ]),
  );
}

const RECALL = `
  select encode(address_hash, 'hex') as hash, outcome, reported_at
  from outcomes where account_id = $1 and address_hash = any($2::bytea[])`;
