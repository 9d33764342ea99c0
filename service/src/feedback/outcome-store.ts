/**
 * Outcomes in their table, and the cells they add up to: both change in one transaction, or neither.
 *
 * Whoever changes an account's outcomes holds the account's row meanwhile. So two who report at the same time take turns,
 * and what the one takes out of a cell is what the other put in.
 */
import type { Outcome, SubStatus } from "@mailvet/contract";
import { bandOf, type CalibrationCell, predictedBounce } from "@mailvet/engine";
import { eq, sql } from "drizzle-orm";
import { lockAccount } from "../accounts/account-queries.ts";
import { batchedDelete } from "../db/batched-delete.ts";
import type { Database, Orm } from "../db/database.ts";
import { notify } from "../db/pubsub.ts";
import { isNewer, type OutcomeReport } from "./aggregation.ts";
import { calibrationCells, outcomes } from "./schema.ts";

/** Says that an account's outcomes have changed; the payload is its id. */
export const OUTCOMES_CHANGED = "outcomes_changed";

/** What we had said of a mailbox, before anything was learned. */
export type StoredPrediction = { score: number; subStatus: SubStatus; provider: string };

export type OutcomeToStore = OutcomeReport & {
  /** Hexadecimal. */
  hash: string;
  said: StoredPrediction | undefined;
};

export type Stored = { stored: number; superseded: number; matched: number };

/** Each mailbox at most once in it. */
export function storeOutcomes(
  { orm }: Pick<Database, "orm">,
  accountId: string,
  told: readonly OutcomeToStore[],
): Promise<Stored> {
  return orm.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const before = await readOutcomes(tx, accountId, told);
    const changed = told.flatMap((one) => {
      const old = before.get(one.hash);
      if (old && !isNewer(one, old)) return [];
      return [{ old, now: { ...one, said: saidOf(one, old) } }];
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
    const matched = changed.filter(({ now }) => now.said).length;
    return { stored, superseded: told.length - stored, matched };
  });
}

/** Nothing of it is left. */
export async function forgetOutcomes({ orm }: Pick<Database, "orm">, accountId: string): Promise<void> {
  await orm.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    await tx.delete(outcomes).where(eq(outcomes.accountId, accountId));
    await tx.delete(calibrationCells).where(eq(calibrationCells.accountId, accountId));
    await notify(tx, OUTCOMES_CHANGED, accountId);
  });
}

/** Erases outcomes older than this, and no complaint; what they taught stays. Says how many. */
export function eraseOldOutcomes({ pool }: Pick<Database, "pool">, days: number): Promise<number> {
  return batchedDelete(pool, ERASE, days);
}

/** Erases the oldest outcomes of accounts that told more than this, whatever they are; what they taught stays. */
export async function eraseTooManyOutcomes({ pool }: Pick<Database, "pool">, most: number): Promise<number> {
  const { rows } = await pool.query<{ id: string; surplus: number }>(WHO_TOLD_TOO_MUCH, [most]);
  let erased = 0;
  for (const { id, surplus } of rows) {
    const { rowCount } = await pool.query(ERASE_OLDEST, [id, Math.min(surplus, ERASED_AT_ONCE)]);
    erased += rowCount ?? 0;
  }
  return erased;
}

/** Of one account in one round. */
const ERASED_AT_ONCE = 200_000;

const WHO_TOLD_TOO_MUCH = `
  select account_id as id, (count(*) - $1)::int as surplus from outcomes group by account_id having count(*) > $1`;

// As arrays: a subquery with a limit may be planned into a join that runs it again for every row, and then all are erased.
const ERASE_OLDEST = `
  delete from outcomes where ctid = any(array(
    select ctid from outcomes where account_id = $1 order by reported_at limit $2 for update skip locked
  ))`;

const ERASE = `
  delete from outcomes where ctid = any(array(
    select ctid from outcomes
    where reported_at < now() - make_interval(days => $2) and outcome <> 'complained'
    limit $1 for update skip locked
  ))`;

type Row = {
  hash: string;
  outcome: Outcome;
  reported_at_ms: number;
  score: number | null;
  sub_status: SubStatus | null;
  provider: string | null;
};

async function readOutcomes(
  tx: Orm,
  accountId: string,
  told: readonly OutcomeToStore[],
): Promise<Map<string, OutcomeToStore>> {
  const hashes = JSON.stringify(told.map(({ hash }) => hash));
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
  const said = score === null ? undefined : { score, subStatus: sub_status ?? "", provider: provider ?? "" };
  return { hash, outcome, atMs: Math.round(reported_at_ms), said };
}

/**
 * What was said before the message counts, so hearing the same again changes nothing, whatever was said since. And what
 * the memory has forgotten meanwhile is still here.
 */
function saidOf(one: OutcomeToStore, old: OutcomeToStore | undefined): StoredPrediction | undefined {
  return old?.outcome === one.outcome ? (old.said ?? one.said) : (one.said ?? old?.said);
}

type Change = { old: OutcomeToStore | undefined; now: OutcomeToStore };

function cellChanges(changes: readonly Change[]): CalibrationCell[] {
  const cells = new Map<string, CalibrationCell>();
  const count = ({ outcome, said }: OutcomeToStore, times: 1 | -1) => {
    if (!said) return;
    const { score, subStatus, provider } = said;
    const band = bandOf(score, subStatus);
    const key = `${band} ${provider}`;
    const cell = cells.get(key) ?? { provider, band, outcomes: 0, bounced: 0, predicted: 0 };
    cell.outcomes += times;
    cell.bounced += outcome === "bounced" ? times : 0;
    cell.predicted += times * predictedBounce(score);
    cells.set(key, cell);
  };
  for (const { old, now } of changes) {
    if (old) count(old, -1);
    count(now, 1);
  }
  return [...cells.values()];
}

async function writeOutcomes(tx: Orm, accountId: string, told: readonly OutcomeToStore[]): Promise<void> {
  if (told.length === 0) return;
  const rows = told.map(({ hash, outcome, atMs, said }) => ({ hash, outcome, at: atMs / 1000, ...said }));
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
