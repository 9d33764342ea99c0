/**
 * The only writer of the ledger: the function `post` in the database (migrations/0033_post.sql), which writes a batch of entries
 * with the balances locked. Runs on the pool (ledger.ts, batched) or inside a caller's transaction (run-credits.ts).
 *
 * Every entry has a key: the request, the run or the grant that it belongs to, which has one entry of each kind. Asked for
 * again, an entry is `known` and not written. Decision: docs/decisions/0029-one-writer-of-the-ledger.md
 */
import { type Queryable, runStatement } from "../db/database.ts";
import type { SUBJECTS } from "./schema.ts";

export type Posting = { accountId: string; key: string } & (
  | {
      /** A charge is written as `settle`: credits that are spent at once. */
      kind: "charge" | "reserve" | "grant" | "adjust";
      amount: number;
      subject: (typeof SUBJECTS)[number];
      reference: string;
      keyId?: string | null;
    }
  /** Of the credits reserved under the key; by default all that are left. */
  | { kind: "settle" | "release"; amount?: number }
  /** Of the credits charged or settled under the key; by default all. */
  | { kind: "refund"; amount?: number }
);

export type Posted = {
  /** `refused`: there are fewer credits; `nothing`: the key has nothing to settle, release or refund. */
  outcome: "written" | "known" | "refused" | "nothing";
  /** The account's balance after this item. */
  balance: number;
};

/** The results are in the order of the items. */
export async function post(by: Queryable, items: readonly Posting[]): Promise<Posted[]> {
  const asked = items.map((item, n) => ({
    n,
    account_id: item.accountId,
    kind: item.kind,
    key: item.key,
    amount: item.amount,
    ...("subject" in item && {
      subject: item.subject,
      reference: item.reference.toWellFormed(), // JSON with a lone surrogate is an error in PostgreSQL
      key_id: item.keyId,
    }),
  }));
  const rows = await runStatement<Posted & { n: number }>(by, POST, [JSON.stringify(asked)]);
  const results: Posted[] = [];
  for (const { n, ...result } of rows) results[n] = result;
  return results;
}

const POST = { name: "post", text: "select n, outcome, balance_after as balance from post($1::json)" };
