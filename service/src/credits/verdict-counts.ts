/**
 * Verdicts per day and key, for the usage page. Apart from money: added every second, so a process that is killed loses
 * those of its last second, and a charge does not wait for them. Nothing is billed from them.
 */
import type { Status } from "@mailvet/contract";
import { type Queryable, runStatement } from "../db/database.ts";

export type VerdictCounts = {
  /** `keyId` is null for the web app. */
  add(accountId: string, keyId: string | null, counts: Counts): void;
  /** Writes what was added so far. */
  flush(): Promise<void>;
};

type Counts = Record<Status, number>;
type Row = Counts & { account_id: string; key_id: string | null };

const STATUSES = ["valid", "invalid", "risky", "unknown"] as const;
const WRITE_EVERY_MS = 1_000;

export function createVerdictCounts(pool: Queryable): VerdictCounts {
  let waiting = new Map<string, Row>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const add: VerdictCounts["add"] = (account_id, key_id, counts) => {
    const name = `${account_id} ${key_id}`;
    const row = waiting.get(name) ?? { account_id, key_id, valid: 0, invalid: 0, risky: 0, unknown: 0 };
    for (const status of STATUSES) row[status] += counts[status];
    waiting.set(name, row);
    timer ??= setTimeout(() => void flush().catch(() => {}), WRITE_EVERY_MS).unref();
  };

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const taken = [...waiting.values()];
    waiting = new Map();
    try {
      await addRows(pool, taken);
    } catch (error) {
      for (const row of taken) add(row.account_id, row.key_id, row); // with the next ones
      throw error;
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(write, write); // one after the other
    return writing;
  }

  return { add, flush };
}

/** Inside a transaction that ends a run. */
export function addVerdictCounts(
  tx: Queryable,
  accountId: string,
  keyId: string | null,
  counts: Counts,
): Promise<void> {
  return addRows(tx, [{ account_id: accountId, key_id: keyId, ...counts }]);
}

/** Locks the rows in the order in which `post` does. */
async function addRows(by: Queryable, rows: readonly Row[]): Promise<void> {
  if (rows.length > 0) await runStatement(by, ADD, [JSON.stringify(rows)]);
}

const ADD = {
  name: "add-verdict-counts",
  text: `
insert into usage_days as u (account_id, day, key_id, valid, invalid, risky, unknown, credits_used)
select account_id, (now() at time zone 'utc')::date, key_id, valid, invalid, risky, unknown, 0
from json_to_recordset($1::json) as item
  (account_id uuid, key_id uuid, valid bigint, invalid bigint, risky bigint, unknown bigint)
join balances using (account_id) -- not of an account that was erased meanwhile
where valid + invalid + risky + unknown > 0
order by account_id, key_id
on conflict on constraint usage_day do update set
  valid = u.valid + excluded.valid, invalid = u.invalid + excluded.invalid,
  risky = u.risky + excluded.risky, unknown = u.unknown + excluded.unknown`,
};
