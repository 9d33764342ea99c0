/**
 * The kept answers of requests that came with an Idempotency-Key, shared by all processes through the database.
 *
 * A row is first held by the request that works on it, then holds its answer. A holder that died is replaced once its
 * lease is over, but only by the same request: the dead one may have spent credits under this key already.
 */
import { randomUUID } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { batchedDelete } from "../../db/batched-delete.ts";
import type { Database, Orm } from "../../db/database.ts";
import { idempotentAnswers } from "../../db/schema.ts";

export type KeyClaim =
  | {
      kind: "held";
      holder: string;
      heldSince: Date;
      /** From a holder of whom nobody knows how far it got. */
      isTakenOver: boolean;
    }
  | { kind: "answered"; status: number; sealedBody: Buffer }
  | { kind: "in_flight"; retryAfterSeconds: number }
  | { kind: "reused" }
  /** It would be a new row, and the account has as many as it may have. */
  | { kind: "full"; retryAfterSeconds: number };

export type IdempotentResponses = {
  claim(row: RowName, requestHash: Buffer): Promise<KeyClaim>;
  /** It is still being worked on. */
  renew(row: RowName, holder: string): Promise<void>;
  /**
   * In a transaction of the caller's, or in one of its own, together with what else has to happen then. False when the
   * row has another holder by now; nothing has happened then.
   */
  store(row: RowName, holder: string, answer: StoredResponse, within?: Within): Promise<boolean>;
  /** Nothing came of it: the key is free for another request. */
  release(row: RowName, holder: string): Promise<void>;
  /** Nobody knows what came of it: only the same request may try again, and may do so at once. */
  abandon(row: RowName, holder: string): Promise<void>;
  /** How many were deleted. */
  deleteExpired(): Promise<number>;
};

export type StoredResponse = { status: number; sealedBody: Buffer };

export type Within = { tx: Orm } | { alongside: (tx: Orm) => Promise<void> };

export type RowName = { accountId: string; keyHash: Buffer };

/** How soon a retry may take over from a process that died. Who works longer renews it. */
const LEASE_SECONDS = 10;
export const RENEW_EVERY_MS = 3_000;
const KEPT = "24 hours";
/** Of one account. Counted once a minute, so that in between it may run over by what its plan allows in that time. */
const MAX_ROWS = 1_000_000;
const RECOUNT_AFTER_SECONDS = 60;
const MAX_ACCOUNTS_COUNTED = 10_000;
/** A row may vanish between our two looks at it, so we look again, but not for ever. */
const MAX_TRIES = 3;

export function createIdempotentResponses(
  { pool, orm }: Pick<Database, "pool" | "orm">,
  maxRows = MAX_ROWS,
): IdempotentResponses {
  const counted = new LRUCache<string, Promise<boolean>>({
    max: MAX_ACCOUNTS_COUNTED,
    ttl: RECOUNT_AFTER_SECONDS * 1000,
  });
  const isFull = (accountId: string): Promise<boolean> => {
    const known = counted.get(accountId);
    if (known) return known;
    const counting = pool
      .query<{ count: number }>({ ...COUNT, values: [accountId, maxRows] })
      .then(({ rows }) => rows[0]!.count >= maxRows);
    counted.set(accountId, counting);
    counting.catch(() => counted.delete(accountId));
    return counting;
  };

  const look = async ({ accountId, keyHash }: RowName): Promise<Row | undefined> =>
    (await pool.query<Row>({ ...LOOK, values: [accountId, keyHash] })).rows[0];

  return {
    async claim({ accountId, keyHash }, requestHash) {
      if ((await isFull(accountId)) && !(await look({ accountId, keyHash }))) {
        return { kind: "full", retryAfterSeconds: RECOUNT_AFTER_SECONDS };
      }
      const holder = randomUUID();
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const held = await pool.query<Held>({ ...HOLD, values: [accountId, keyHash, requestHash, holder] });
        if (held.rows[0]) return { kind: "held", holder, ...held.rows[0] };
        const row = await look({ accountId, keyHash });
        if (!row) continue;
        if (!row.requestHash.equals(requestHash)) return { kind: "reused" };
        if (row.status !== null && row.sealedBody) {
          return { kind: "answered", status: row.status, sealedBody: row.sealedBody };
        }
        return { kind: "in_flight", retryAfterSeconds: 1 };
      }
      return { kind: "in_flight", retryAfterSeconds: 1 };
    },
    async renew({ accountId, keyHash }, holder) {
      await pool.query({ ...RENEW, values: [accountId, keyHash, holder] });
    },
    async store({ accountId, keyHash }, holder, { status, sealedBody }, within = { tx: orm }) {
      const isOurs = and(
        eq(idempotentAnswers.accountId, accountId),
        eq(idempotentAnswers.keyHash, keyHash),
        eq(idempotentAnswers.holder, holder),
      );
      const update = async (tx: Orm): Promise<boolean> => {
        const stored = await tx
          .update(idempotentAnswers)
          .set({ status, sealedBody, holder: null, heldUntil: null })
          .where(isOurs)
          .returning({ status: idempotentAnswers.status });
        return stored.length > 0;
      };
      if ("tx" in within) return update(within.tx);
      return orm.transaction(async (tx) => {
        const isStored = await update(tx);
        if (isStored) await within.alongside(tx);
        return isStored;
      });
    },
    async release({ accountId, keyHash }, holder) {
      await pool.query({ ...RELEASE, values: [accountId, keyHash, holder] });
    },
    async abandon({ accountId, keyHash }, holder) {
      await pool.query({ ...ABANDON, values: [accountId, keyHash, holder] });
    },
    deleteExpired: () => batchedDelete(pool, DELETE_EXPIRED),
  };
}

type Held = { heldSince: Date; isTakenOver: boolean };
type Row = { requestHash: Buffer; status: number | null; sealedBody: Buffer | null };

const HOLD = {
  name: "idempotency_hold",
  text: `
    insert into idempotent_answers as kept (account_id, key_hash, request_hash, holder, held_until, expires_at)
    values ($1, $2, $3, $4, now() + interval '${LEASE_SECONDS} seconds', now() + interval '${KEPT}')
    on conflict (account_id, key_hash) do update
      set request_hash = excluded.request_hash, holder = excluded.holder, held_until = excluded.held_until,
          status = null, sealed_body = null,
          expires_at = case when kept.expires_at <= now() then excluded.expires_at else kept.expires_at end,
          -- Taken over it stays the same work; after its time it is new work under an old name.
          created_at = case when kept.expires_at <= now() then now() else kept.created_at end
      where kept.expires_at <= now()
         or (kept.status is null and kept.held_until <= now() and kept.request_hash = excluded.request_hash)
    returning created_at as "heldSince", created_at < now() as "isTakenOver"`,
};
const COUNT = {
  name: "idempotency_count",
  text: `
    select count(*)::int as count from (
      select from idempotent_answers where account_id = $1 and expires_at > now() limit $2
    ) unexpired`,
};
const LOOK = {
  name: "idempotency_look",
  text: `
    select request_hash as "requestHash", status, sealed_body as "sealedBody"
    from idempotent_answers where account_id = $1 and key_hash = $2`,
};
const RENEW = {
  name: "idempotency_renew",
  text: `
    update idempotent_answers set held_until = now() + interval '${LEASE_SECONDS} seconds'
    where account_id = $1 and key_hash = $2 and holder = $3`,
};
const RELEASE = {
  name: "idempotency_release",
  text: "delete from idempotent_answers where account_id = $1 and key_hash = $2 and holder = $3",
};
const ABANDON = {
  name: "idempotency_abandon",
  text: "update idempotent_answers set held_until = now() where account_id = $1 and key_hash = $2 and holder = $3",
};
const DELETE_EXPIRED = `
  delete from idempotent_answers where ctid = any (array(
    select ctid from idempotent_answers where expires_at <= now() limit $1 for update skip locked))`;
