/**
 * Writes an entry of the audit log, on the pool or in the transaction that makes the change.
 *
 * The details of an entry are a few plain facts: never a secret, a password, or an address of a list.
 */
import type { AuditAction, AuditActorKind } from "@mailvet/contract";
import type { Caller } from "../base/caller.ts";
import { networkOf } from "../base/client-network.ts";
import { type BeforeCommit, type Queryable, runStatement } from "../db/database.ts";
import { accountExistsSql } from "./schema.ts";

/** Who acts. Without `by`, a client that is not signed in. */
export type Actor = {
  /** The account of the session or key. */
  accountId?: string | undefined;
  by?: Caller["by"] | undefined;
  /** With the rights of the operator, on any account. */
  isOperator?: boolean | undefined;
  /** Address of the client. */
  ip?: string | undefined;
};

/** The service itself: maintenance, the first start, an endpoint that is disabled automatically. */
export const SYSTEM = "system";

export type NewAuditEntry = {
  action: AuditAction;
  /** The account that it happens to, whose owner sees the entry. Undefined: unknown. */
  accountId: string | undefined;
  /** The key, webhook endpoint, session or job that it is about. */
  subjectId?: string | undefined;
  details?: Readonly<Record<string, string | number | boolean>> | undefined;
};

/** Of an account that was erased meanwhile, nothing that its owner did is recorded: the entry would outlive the erasure. */
export async function recordAudit(
  by: Queryable,
  actor: Actor | typeof SYSTEM,
  { action, accountId, subjectId, details = {} }: NewAuditEntry,
): Promise<void> {
  const who = actor === SYSTEM ? {} : actor;
  const network = who.ip === undefined ? null : networkOf(who.ip);
  await runStatement(by, INSERT, [
    action,
    accountId ?? null,
    actor === SYSTEM ? "system" : kindOf(who),
    who.by ? (who.accountId ?? null) : null,
    who.by && "keyId" in who.by ? who.by.keyId : null,
    who.by && "sessionId" in who.by ? who.by.sessionId : null,
    who.isOperator ?? false,
    network,
    subjectId ?? null,
    JSON.stringify(details),
  ]);
}

/** The same as the last step of a transaction: the entry is derived from what was made. */
export function auditOnCommit<Made>(
  actor: Actor,
  entryOf: (made: Made) => NewAuditEntry,
): BeforeCommit<Made> {
  return (tx, made) => recordAudit(tx, actor, entryOf(made));
}

const KINDS = { session: "session", key: "api_key", operator_key: "operator_key" } as const satisfies Record<
  Caller["by"]["kind"],
  AuditActorKind
>;

function kindOf({ by }: Actor): AuditActorKind {
  return by ? KINDS[by.kind] : "anonymous";
}

const INSERT = {
  name: "audit_insert",
  text: `
    insert into audit_entries (action, account_id, actor_kind, actor_account_id, key_id, session_id, is_operator,
      network, subject_id, details)
    select $1::text, $2::uuid, $3::text, $4::uuid, $5::uuid, $6::uuid, $7::boolean, $8::text, $9::uuid, $10::jsonb
    where $2::uuid is null or $3 = '${SYSTEM}' or $7::boolean or ${accountExistsSql("$2")}`,
};
