/**
 * Stores outcomes and the calibration cells they add up to, both in one transaction.
 *
 * The account's row is locked meanwhile: concurrent reports take turns, so that what one subtracts from a cell is what the
 * other has added.
 */
import type { DeliveryOutcome, SubStatus } from "@mailvet/contract";
import { bandOf, type CalibrationCell, predictedBounceRate } from "@mailvet/engine";
import { eq, sql } from "drizzle-orm";
import { lockAccount } from "../accounts/account-queries.ts";
import { batchedDelete } from "../db/batched-delete.ts";
import type { BeforeCommit, Database, Orm } from "../db/database.ts";
import { notify } from "../db/pubsub.ts";
import { isNewer, type OutcomeReport } from "./newest-outcomes.ts";
import { calibrationCells, outcomes } from "./schema.ts";

/** The channel for changed outcomes. The payload is the account's id. */
export const OUTCOMES_CHANGED = "outcomes_changed";

/** The prediction for a mailbox, before calibration. */
export type StoredPrediction = { score: number; subStatus: SubStatus; provider: string };

export type OutcomeToStore = OutcomeReport & {
  /** Hexadecimal. */
  hash: string;
  predicted: StoredPrediction | undefined;
};

export type Stored = { stored: number; superseded: number; matched: number };

/** Each mailbox at most once. */
export function storeOutcomes(
  { orm }: Pick<Database, "orm">,
  accountId: string,
  reports: readonly OutcomeToStore[],
): Promise<Stored> {
  return orm.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const before = await readOutcomes(tx, accountId, reports);
    const changed = reports.flatMap((one) => {
      const old = before.get(one.hash);
      if (old && !isNewer(one, old)) return [];
      return [{ old, now: { ...one, predicted: predictionOf(one, old) } }];
    });
    const cells = cellChanges(changed);
    await writeOutcomes(
      tx,
      accountId,
      changed.map(({ now }) => now),
    );
    await writeCells(tx, accountId, cells);
    await notify(tx, OUTCOMES_CHANGED, accountId);
    const stored = changed.length;
    const matched = changed.filter(({ now }) => now.predicted).length;
    return { stored, superseded: reports.length - stored, matched };
  });
}

export async function deleteOutcomes(
  { orm }: Pick<Database, "orm">,
  accountId: string,
  beforeCommit?: BeforeCommit<void>,
): Promise<void> {
  await orm.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    await tx.delete(outcomes).where(eq(outcomes.accountId, accountId));
    await tx.delete(calibrationCells).where(eq(calibrationCells.accountId, accountId));
    await notify(tx, OUTCOMES_CHANGED, accountId);
    await beforeCommit?.(tx);
  });
}

/** Deletes outcomes older than this, except complaints; the calibration stays. Returns how many. */
export function deleteOldOutcomes({ pool }: Pick<Database, "pool">, days: number): Promise<number> {
  return batchedDelete(pool, DELETE_OLD, days);
}

/** Deletes the oldest outcomes of accounts with more than this; the calibration stays. */
export async function deleteSurplusOutcomes({ pool }: Pick<Database, "pool">, most: number): Promise<number> {
  const { rows } = await pool.query<{ id: string; surplus: number }>(ACCOUNTS_OVER_LIMIT, [most]);
  let deleted = 0;
  for (const { id, surplus } of rows) {
    const { rowCount } = await pool.query(DELETE_OLDEST, [id, Math.min(surplus, MAX_DELETED)]);
    deleted += rowCount ?? 0;
  }
  return deleted;
}

/** Per account and run. */
const MAX_DELETED = 200_000;

const ACCOUNTS_OVER_LIMIT = `
  select account_id as id, (count(*) - $1)::int as surplus from outcomes group by account_id having count(*) > $1`;

// As arrays: a subquery with a limit may be planned as a join that repeats it for every row, and then all are deleted.
const DELETE_OLDEST = `
  delete from outcomes where ctid = any(array(
    select ctid from outcomes where account_id = $1 order by reported_at limit $2 for update skip locked
  ))`;

const DELETE_OLD = `
  delete from outcomes where ctid = any(array(
    select ctid from outcomes
    where reported_at < now() - make_interval(days => $2) and outcome <> 'complained'
    limit $1 for update skip locked
  ))`;

type Row = {
  hash: string;
  outcome: DeliveryOutcome;
  reported_at_ms: number;
  score: number | null;
  sub_status: SubStatus | null;
  provider: string | null;
};

async function readOutcomes(
  tx: Orm,
  accountId: string,
  reports: readonly OutcomeToStore[],
): Promise<Map<string, OutcomeToStore>> {
  const hashes = JSON.stringify(reports.map(({ hash }) => hash));
  const { rows } = await tx.execute<Row>(sql`
    select encode(address_hash, 'hex') as hash, outcome, score, sub_status, provider,
      extract(epoch from reported_at)::float8 * 1000 as reported_at_ms
    from outcomes
    where account_id = ${accountId} and address_hash in (
      select decode(hash, 'hex') from json_array_elements_text(${hashes}::json) as hash
    )
    order by address_hash for update`);
  return new Map(rows.map((row) => [row.hash, fromRow(row)]));
}

function fromRow({ hash, outcome, reported_at_ms, score, sub_status, provider }: Row): OutcomeToStore {
  const predicted =
    score === null ? undefined : { score, subStatus: sub_status ?? "", provider: provider ?? "" };
  return { hash, outcome, atMs: Math.round(reported_at_ms), predicted };
}

/**
 * The prediction before the message counts, so reporting the same outcome again changes nothing. It is kept even when the
 * verdict cache has dropped it.
 */
function predictionOf(one: OutcomeToStore, old: OutcomeToStore | undefined): StoredPrediction | undefined {
  return old?.outcome === one.outcome ? (old.predicted ?? one.predicted) : (one.predicted ?? old?.predicted);
}

type Change = { old: OutcomeToStore | undefined; now: OutcomeToStore };

function cellChanges(changes: readonly Change[]): CalibrationCell[] {
  const cells = new Map<string, CalibrationCell>();
  const count = ({ outcome, predicted }: OutcomeToStore, times: 1 | -1) => {
    if (!predicted) return;
    const { score, subStatus, provider } = predicted;
    const band = bandOf(score, subStatus);
    const key = `${band} ${provider}`;
    const cell = cells.get(key) ?? { provider, band, outcomes: 0, bounced: 0, predicted: 0 };
    cell.outcomes += times;
    cell.bounced += outcome === "bounced" ? times : 0;
    cell.predicted += times * predictedBounceRate(score);
    cells.set(key, cell);
  };
  for (const { old, now } of changes) {
    if (old) count(old, -1);
    count(now, 1);
  }
  return [...cells.values()];
}

async function writeOutcomes(tx: Orm, accountId: string, reports: readonly OutcomeToStore[]): Promise<void> {
  if (reports.length === 0) return;
  const rows = reports.map(({ hash, outcome, atMs, predicted }) => ({
    hash,
    outcome,
    at: atMs / 1000,
    ...predicted,
  }));
  await tx.execute(sql`
    insert into outcomes (account_id, address_hash, outcome, reported_at, score, sub_status, provider)
    select ${accountId}::uuid, decode(hash, 'hex'), outcome, to_timestamp("at"), score, "subStatus", provider
    from json_to_recordset(${JSON.stringify(rows)}::json) as one (
      hash text, outcome text, "at" float8, score smallint, "subStatus" text, provider text
    )
    order by hash
    on conflict (account_id, address_hash) do update
    set outcome = excluded.outcome, reported_at = excluded.reported_at, score = excluded.score,
      sub_status = excluded.sub_status, provider = excluded.provider`);
}

async function writeCells(tx: Orm, accountId: string, cells: readonly CalibrationCell[]): Promise<void> {
  if (cells.length === 0) return;
  await tx.execute(sql`
    insert into calibration_cells (account_id, provider, band, outcomes, bounced, predicted)
    select ${accountId}::uuid, one.*
    from json_to_recordset(${JSON.stringify(cells)}::json) as one (
      provider text, band smallint, outcomes int, bounced int, predicted float8
    )
    order by provider, band
    on conflict (account_id, provider, band) do update
    set outcomes = calibration_cells.outcomes + excluded.outcomes,
      bounced = calibration_cells.bounced + excluded.bounced,
      predicted = calibration_cells.predicted + excluded.predicted`);
}
