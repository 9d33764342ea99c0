/**
 * Responses stored under an Idempotency-Key, shared by all processes through the database.
 *
 * A row is claimed by the request that executes, which holds a lease on it, and then holds the response. When the lease
 * expires, only a request with the same fingerprint may take the row over: the previous holder may already have spent
 * credits under this key. The middleware is http/middleware/idempotency.ts.
 */
import { randomUUID } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { ACCOUNT_LIMITS } from "../accounts/plans.ts";
import { createCachedLookup } from "../base/cached-lookup.ts";
import { batchedDelete } from "../db/batched-delete.ts";
import type { Database, Orm } from "../db/database.ts";
import { idempotentResponses } from "./schema.ts";

export type KeyClaim =
  | {
      kind: "claimed";
      holder: string;
      /** First claim of the key; unchanged when it is taken over. */
      claimedAt: Date;
      /** From a holder whose lease expired; its effects are unknown. */
      isTakenOver: boolean;
    }
  | { kind: "stored"; status: number; encryptedBody: Buffer }
  | { kind: "in_flight"; retryAfterSeconds: number }
  | { kind: "reused" }
  /** A new row, and the account has reached its maximum. */
  | { kind: "full"; retryAfterSeconds: number };

export type IdempotentResponses = {
  claim(key: ResponseKey, requestHash: Buffer): Promise<KeyClaim>;
  /** Extends the lease. */
  renew(key: ResponseKey, holder: string): Promise<void>;
  /**
   * Within the caller's transaction, or in one of its own together with `alongside`. False when the row has another
   * holder by now; nothing is written then.
   */
  store(key: ResponseKey, holder: string, response: StoredResponse, within?: Within): Promise<boolean>;
  /**
   * The request had no effect, or none any more together with `alongside`: the key may be used by any request. False when the
   * row has another holder by now; nothing is written then.
   */
  release(key: ResponseKey, holder: string, alongside?: Alongside): Promise<boolean>;
  /** The effect is unknown: ends the lease, and only the same request may use the key again. */
  abandon(key: ResponseKey, holder: string): Promise<void>;
  /** Returns the number of rows deleted. */
  deleteExpired(): Promise<number>;
};

export type StoredResponse = { status: number; encryptedBody: Buffer };

export type Within = { tx: Orm } | { alongside: Alongside };
type Alongside = (tx: Orm) => Promise<void>;

export type ResponseKey = { accountId: string; keyHash: Buffer };

/** How soon a retry may take over from a process that died. */
const LEASE_SECONDS = 10;
export const RENEW_EVERY_MS = 3_000;
const RETENTION = "24 hours";
/** Per account. Counted once a minute, so the maximum can be exceeded by what the plan allows in that time. */
const MAX_ROWS = ACCOUNT_LIMITS.idempotency_keys;
const RECOUNT_AFTER_SECONDS = 60;
const MAX_ACCOUNTS_COUNTED = 10_000;
/** The row may be deleted between the claim and the lookup. */
const MAX_ATTEMPTS = 3;

export function createIdempotentResponses(
  { pool, orm }: Pick<Database, "pool" | "orm">,
  maxRows = MAX_ROWS,
): IdempotentResponses {
  const isFull = createCachedLookup<boolean>({
    async load(accountId) {
      const { rows } = await pool.query<{ count: number }>({ ...COUNT, values: [accountId, maxRows] });
      return rows[0]!.count >= maxRows;
    },
    max: MAX_ACCOUNTS_COUNTED,
    ttlMs: RECOUNT_AFTER_SECONDS * 1000,
  });

  const find = async ({ accountId, keyHash }: ResponseKey): Promise<Row | undefined> =>
    (await pool.query<Row>({ ...FIND, values: [accountId, keyHash] })).rows[0];

  const together = (write: (tx: Orm) => Promise<boolean>, alongside: Alongside): Promise<boolean> =>
    orm.transaction(async (tx) => {
      const isWritten = await write(tx);
      if (isWritten) await alongside(tx);
      return isWritten;
    });

  return {
    async claim({ accountId, keyHash }, requestHash) {
      if ((await isFull.find(accountId)) && !(await find({ accountId, keyHash }))) {
        return { kind: "full", retryAfterSeconds: RECOUNT_AFTER_SECONDS };
      }
      const holder = randomUUID();
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const claimed = await pool.query<Claimed>({
          ...CLAIM,
          values: [accountId, keyHash, requestHash, holder],
        });
        if (claimed.rows[0]) return { kind: "claimed", holder, ...claimed.rows[0] };
        const row = await find({ accountId, keyHash });
        if (!row) continue;
        if (!row.requestHash.equals(requestHash)) return { kind: "reused" };
        if (row.status !== null && row.encryptedBody) {
          return { kind: "stored", status: row.status, encryptedBody: row.encryptedBody };
        }
        return { kind: "in_flight", retryAfterSeconds: 1 };
      }
      return { kind: "in_flight", retryAfterSeconds: 1 };
    },
    async renew({ accountId, keyHash }, holder) {
      await pool.query({ ...RENEW, values: [accountId, keyHash, holder] });
    },
    async store(key, holder, { status, encryptedBody }, within = { tx: orm }) {
      const update = async (tx: Orm): Promise<boolean> => {
        const stored = await tx
          .update(idempotentResponses)
          .set({ status, encryptedBody, holder: null, heldUntil: null })
          .where(isHeldBy(key, holder))
          .returning({ status: idempotentResponses.status });
        return stored.length > 0;
      };
      return "tx" in within ? update(within.tx) : together(update, within.alongside);
    },
    async release(key, holder, alongside) {
      const remove = async (tx: Orm): Promise<boolean> => {
        const released = await tx
          .delete(idempotentResponses)
          .where(isHeldBy(key, holder))
          .returning({ accountId: idempotentResponses.accountId });
        return released.length > 0;
      };
      return alongside ? together(remove, alongside) : remove(orm);
    },
    async abandon({ accountId, keyHash }, holder) {
      await pool.query({ ...ABANDON, values: [accountId, keyHash, holder] });
    },
    deleteExpired: () => batchedDelete(pool, DELETE_EXPIRED),
  };
}

const isHeldBy = ({ accountId, keyHash }: ResponseKey, holder: string) =>
  and(
    eq(idempotentResponses.accountId, accountId),
    eq(idempotentResponses.keyHash, keyHash),
    eq(idempotentResponses.holder, holder),
  );

type Claimed = { claimedAt: Date; isTakenOver: boolean };
type Row = { requestHash: Buffer; status: number | null; encryptedBody: Buffer | null };

const CLAIM = {
  name: "idempotency_claim",
  text: `
    insert into idempotent_responses as stored (account_id, key_hash, request_hash, holder, held_until, expires_at)
    values ($1, $2, $3, $4, now() + interval '${LEASE_SECONDS} seconds', now() + interval '${RETENTION}')
    on conflict (account_id, key_hash) do update
      set request_hash = excluded.request_hash, holder = excluded.holder, held_until = excluded.held_until,
          status = null, encrypted_body = null,
          expires_at = case when stored.expires_at <= now() then excluded.expires_at else stored.expires_at end,
          -- A takeover continues the same request; after expiry the key names a new one.
          created_at = case when stored.expires_at <= now() then now() else stored.created_at end
      where stored.expires_at <= now()
         or (stored.status is null and stored.held_until <= now() and stored.request_hash = excluded.request_hash)
    returning created_at as "claimedAt", created_at < now() as "isTakenOver"`,
};
const COUNT = {
  name: "idempotency_count",
  text: `
    select count(*)::int as count from (
      select from idempotent_responses where account_id = $1 and expires_at > now() limit $2
    ) unexpired`,
};
const FIND = {
  name: "idempotency_find",
  text: `
    select request_hash as "requestHash", status, encrypted_body as "encryptedBody"
    from idempotent_responses where account_id = $1 and key_hash = $2`,
};
const RENEW = {
  name: "idempotency_renew",
  text: `
    update idempotent_responses set held_until = now() + interval '${LEASE_SECONDS} seconds'
    where account_id = $1 and key_hash = $2 and holder = $3`,
};
const ABANDON = {
  name: "idempotency_abandon",
  text: "update idempotent_responses set held_until = now() where account_id = $1 and key_hash = $2 and holder = $3",
};
const DELETE_EXPIRED = `
  delete from idempotent_responses where ctid = any (array(
    select ctid from idempotent_responses where expires_at <= now() limit $1 for update skip locked))`;
