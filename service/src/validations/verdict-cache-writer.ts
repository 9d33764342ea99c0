/** Writes remembered verdicts into their table: a little later, many at a time, and never in anyone's way. */
import type pg from "pg";
import { accountSql } from "../accounts/account-queries.ts";
import { later } from "../debounce.ts";
import type { CachedEvidence } from "./cached-evidence.ts";

export type VerdictRow = {
  accountId: string;
  /** Hexadecimal. */
  hash: string;
  kept: CachedEvidence;
  checkedAtMs: number;
  freshUntilMs: number;
};

export type VerdictWriter = { write(row: VerdictRow): void; close(): Promise<void> };

const GATHER_MS = 50;
const ROWS_AT_ONCE = 500;
/** What comes while so many wait is not written; this process still remembers it. */
const MAX_WAITING = 20_000;

export function createVerdictWriter(deps: {
  pool: Pick<pg.Pool, "query">;
  say: (message: string) => void;
}): VerdictWriter {
  const waiting = new Map<string, VerdictRow>(); // by hash: a statement may touch each row once only
  let isClosed = false;

  const writeAll = async () => {
    while (waiting.size > 0) {
      const rows = takeSome(waiting);
      try {
        await deps.pool.query({ name: "write_verdicts", text: WRITE, values: columnsOf(rows) });
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        deps.say(`${rows.length} verdicts could not be written and will be asked for again: ${why}`);
      }
    }
  };
  const writing = later(GATHER_MS, writeAll, () => waiting.size > 0);

  return {
    write(row) {
      if (isClosed || (waiting.size >= MAX_WAITING && !waiting.has(row.hash))) return;
      waiting.set(row.hash, row);
      writing.soon();
    },
    close() {
      isClosed = true;
      return writing.close();
    },
  };
}

function takeSome(waiting: Map<string, VerdictRow>): VerdictRow[] {
  const rows: VerdictRow[] = [];
  for (const [hash, row] of waiting) {
    if (rows.length === ROWS_AT_ONCE) break;
    rows.push(row);
    waiting.delete(hash);
  }
  return rows;
}

// In one order everywhere, so that processes that write the same rows cannot block each other. An account that is
// gone by now takes nobody else's rows with it.
const WRITE = `
  insert into verdicts (account_id, address_hash, evidence, checked_at, fresh_until)
  select one.account_id, one.address_hash, one.evidence::jsonb, one.checked_at, one.fresh_until
  from unnest($1::uuid[], $2::bytea[], $3::text[], $4::timestamptz[], $5::timestamptz[])
    as one (account_id, address_hash, evidence, checked_at, fresh_until)
  ${accountSql.join("one.account_id")}
  order by one.account_id, one.address_hash
  on conflict (account_id, address_hash) do update
  set evidence = excluded.evidence, checked_at = excluded.checked_at, fresh_until = excluded.fresh_until
  where verdicts.checked_at < excluded.checked_at
    -- What settled nothing takes the place of nothing that still answers.
    and (excluded.fresh_until > excluded.checked_at or verdicts.fresh_until <= excluded.checked_at)`;

function columnsOf(rows: readonly VerdictRow[]): unknown[][] {
  return [
    rows.map(({ accountId }) => accountId),
    rows.map(({ hash }) => Buffer.from(hash, "hex")),
    rows.map(({ kept }) => JSON.stringify(kept)),
    rows.map(({ checkedAtMs }) => new Date(checkedAtMs)),
    rows.map(({ freshUntilMs }) => new Date(freshUntilMs)),
  ];
}
