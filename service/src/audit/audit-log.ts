/** Reads the audit log, page by page from the newest entry, and deletes entries past their retention. */
import type { AuditAction, AuditEntry } from "@mailvet/contract";
import { and, desc, eq, gte, lt, ne, type SQL, sql } from "drizzle-orm";
import { batchedDelete } from "../db/batched-delete.ts";
import type { Database, Orm } from "../db/database.ts";
import { auditEntries } from "./schema.ts";

export type AuditFilter = {
  /** Undefined: all accounts, for operators only. */
  accountId: string | undefined;
  action?: AuditAction | undefined;
  /** First and last day in UTC (YYYY-MM-DD). */
  from?: string | undefined;
  to?: string | undefined;
};

export type AuditPage = AuditFilter & { before?: string | undefined; limit: number };

export type AuditLog = {
  /** Newest first. After an entry that does not exist (any more) there is nothing. */
  page(wanted: AuditPage): Promise<AuditEntry[]>;
  /** All of it, newest first, in batches. */
  all(wanted: AuditFilter): AsyncGenerator<AuditEntry[]>;
  /** Returns how many. */
  deleteOld(): Promise<number>;
};

const ENTRIES_PER_BATCH = 1000;

export function createAuditLog({
  database,
  retentionDays,
}: {
  database: Pick<Database, "orm" | "pool">;
  retentionDays: number;
}): AuditLog {
  const page = async ({ before, limit, ...filter }: AuditPage) => {
    const rows = await database.orm
      .select()
      .from(auditEntries)
      .where(and(...conditionsOf(filter), before === undefined ? undefined : isBefore(before, filter)))
      .orderBy(desc(auditEntries.createdAt), desc(auditEntries.id))
      .limit(limit);
    return rows.map(present);
  };
  return {
    page,
    async *all(filter) {
      for (let before: string | undefined; ; ) {
        const entries = await page({ ...filter, before, limit: ENTRIES_PER_BATCH });
        if (entries.length > 0) yield entries;
        if (entries.length < ENTRIES_PER_BATCH) return;
        before = entries.at(-1)!.id;
      }
    },
    deleteOld: () => batchedDelete(database.pool, DELETE_OLD, retentionDays),
  };
}

/**
 * Of an account that is erased: what its owner did, except for closing it. What operators did to it is kept without their
 * reasons, which may name people.
 */
export async function deleteOwnersEntries(
  tx: Pick<Orm, "delete" | "execute">,
  accountId: string,
): Promise<void> {
  await tx
    .delete(auditEntries)
    .where(
      and(
        eq(auditEntries.accountId, accountId),
        eq(auditEntries.isOperator, false),
        ne(auditEntries.action, "account.closed"),
      ),
    );
  // Updates are refused by the database.
  await tx.execute(sql`
    with given as (
      delete from ${auditEntries} where ${auditEntries.accountId} = ${accountId} and ${auditEntries.details} ? 'reason' returning *
    )
    insert into ${auditEntries} (id, created_at, action, account_id, actor_kind, actor_account_id, key_id, session_id,
      is_operator, network, subject_id, details)
    select id, created_at, action, account_id, actor_kind, actor_account_id, key_id, session_id,
      is_operator, network, subject_id, details - 'reason' from given`);
}

function conditionsOf({ accountId, action, from, to }: AuditFilter): (SQL | undefined)[] {
  const midnight = (day: string, plusDays: number) =>
    sql`(${day}::date + ${plusDays}::int)::timestamp at time zone 'utc'`;
  return [
    accountId === undefined ? undefined : eq(auditEntries.accountId, accountId),
    action === undefined ? undefined : eq(auditEntries.action, action),
    from === undefined ? undefined : gte(auditEntries.createdAt, midnight(from, 0)),
    to === undefined ? undefined : lt(auditEntries.createdAt, midnight(to, 1)),
  ];
}

function isBefore(id: string, { accountId }: AuditFilter): SQL {
  const isVisible = accountId === undefined ? sql`true` : sql`account_id = ${accountId}`;
  return sql`(${auditEntries.createdAt}, ${auditEntries.id}) <
    (select created_at, id from audit_entries where id = ${id} and ${isVisible})`;
}

function present(row: typeof auditEntries.$inferSelect): AuditEntry {
  return {
    id: row.id,
    created_at: row.createdAt.toISOString(),
    action: row.action,
    account_id: row.accountId,
    actor: {
      kind: row.actorKind,
      account_id: row.actorAccountId,
      key_id: row.keyId,
      session_id: row.sessionId,
      is_operator: row.isOperator,
    },
    network: row.network,
    subject_id: row.subjectId,
    details: row.details,
  };
}

/** As the owner of the account may see it: an operator's account, credentials and network are not shown. */
export function forOwner(entry: AuditEntry): AuditEntry {
  if (!entry.actor.is_operator) return entry;
  const actor = {
    kind: "operator",
    account_id: null,
    key_id: null,
    session_id: null,
    is_operator: true,
  } as const;
  return { ...entry, actor, network: null };
}

const DELETE_OLD = `
  delete from audit_entries where id in (
    select id from audit_entries where created_at < now() - make_interval(days => $2) order by created_at limit $1)`;
