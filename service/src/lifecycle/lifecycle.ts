/**
 * Suspends, resumes and erases accounts: what happens to all that belongs to one.
 *
 * Each begins with the account's row, which refuses or admits its keys and sessions within a second in every process. The
 * rest follows in short transactions, of an erasure in a task; what an exit of the process leaves undone is completed by
 * `reconcile`.
 */
import { randomUUID } from "node:crypto";
import { lockAccount, WAITING_FOR_APPROVAL } from "../accounts/account-queries.ts";
import type { Accounts } from "../accounts/accounts.ts";
import type { Sessions } from "../accounts/sessions.ts";
import { type Actor, auditOnCommit, type NewAuditEntry, recordAudit } from "../audit/audit-writer.ts";
import { Refusal, wrongValue } from "../base/refusal.ts";
import {
  type BeforeCommit,
  bothOnCommit,
  type Database,
  DEADLOCK,
  type Orm,
  sqlStateOf,
} from "../db/database.ts";
import type { JobActions } from "../jobs/job-actions.ts";
import type { Task } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import type { Uploads } from "../uploads/uploads.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { ExportFiles } from "./export-files.ts";

export type LifecycleDeps = {
  database: Pick<Database, "orm">;
  accounts: Accounts;
  sessions: Pick<Sessions, "endAll">;
  jobs: Pick<JobActions, "suspendAll" | "resumeAll" | "eraseAll" | "reconcileSuspensions">;
  uploads: Pick<Uploads, "eraseAll">;
  exportFiles: Pick<ExportFiles, "erase">;
  webhooks: Pick<Webhooks, "releaseHeld">;
  tasks: Pick<
    Tasks,
    | "openGroup"
    | "add"
    | "has"
    | "pause"
    | "resume"
    | "groupsOf"
    | "closeGroup"
    | "deleteRest"
    | "pausedAccounts"
  >;
};

/** All refuse with account_not_found. Operators cannot suspend or erase their own account. */
export type Lifecycle = {
  /**
   * Keys, sessions and sign-in are refused, active jobs paused, webhook deliveries held. Repeating it changes the reason.
   * Refuses with operator_protected.
   */
  suspend(by: Actor, accountId: string, reason: string): Promise<void>;
  /** Jobs that the suspension paused continue, and held deliveries are sent. */
  resume(by: Actor, accountId: string): Promise<void>;
  endSessions(by: Actor, accountId: string): Promise<void>;
  /**
   * Has every row and blob of the account deleted by a task; the account's state is `erasing` until then. `email` confirms
   * which one. Refuses with operator_protected.
   */
  erase(by: Actor, accountId: string, confirmation: { email: string; reason: string }): Promise<void>;
  /** The same by the owner. */
  close(by: Actor, accountId: string): Promise<void>;
  /** For the queue "action", with the subject ERASE_ACCOUNT. */
  handleErasure(task: Task): Promise<void>;
  /** Completes what was interrupted. */
  reconcile(): Promise<void>;
};

/** Subject of a task of the queue "action". */
export const ERASE_ACCOUNT = "erase account";

const MAX_TRIES = 5;

export function createLifecycle(deps: LifecycleDeps): Lifecycle {
  const { accounts, sessions, jobs, uploads, exportFiles, webhooks, tasks } = deps;
  const { orm } = deps.database;

  /** Group of the account's rechecks (queue/schema.ts). */
  const recheckGroup = (accountId: string) => accountId;

  /** May be repeated after a failure. */
  const eraseOnce = async (accountId: string) => {
    const before = await tasks.groupsOf(orm, accountId);
    await orm.transaction((tx) => sessions.endAll(tx, accountId));
    await jobs.eraseAll(accountId);
    await uploads.eraseAll(accountId);
    await exportFiles.erase(accountId);
    // The end of a job may have opened the group of a webhook endpoint.
    const groupIds = [...new Set([...before, ...(await tasks.groupsOf(orm, accountId))])];
    for (const groupId of groupIds) await orm.transaction((tx) => tasks.closeGroup(tx, groupId));
    const deleteTasks = () => orm.transaction((tx) => tasks.deleteRest(tx, accountId, groupIds));
    await deleteTasks();
    const isRemoved = await accounts.remove(accountId);
    await deleteTasks(); // what was added until then
    return isRemoved;
  };

  /** What is still being saved for the account may be locked in another order. */
  const eraseRest = async (accountId: string) => {
    for (let tries = 1; ; tries++) {
      try {
        const { email } = await accounts.find(accountId);
        if (await eraseOnce(accountId)) accounts.tellOwner(email, { kind: "erased" });
        return;
      } catch (error) {
        if (error instanceof Refusal && error.code === "account_not_found") return; // by another process meanwhile
        if (tries === MAX_TRIES || sqlStateOf(error) !== DEADLOCK) throw error;
      }
    }
  };

  /** Unless the account has been suspended again, and no suspension begins meanwhile. */
  const resumeRechecks = (accountId: string) =>
    orm
      .transaction(async (tx) => {
        await lockAccount(tx, accountId);
        await tasks.resume(tx, recheckGroup(accountId));
      })
      .catch(ignoreSuspended);

  const record = (by: Actor, entry: NewAuditEntry): BeforeCommit<void> => auditOnCommit(by, () => entry);

  const addErasure = async (tx: Orm, accountId: string) => {
    if (await tasks.has(tx, accountId, ERASE_ACCOUNT)) return;
    const groupId = randomUUID(); // the account's own is paused by a suspension
    await tasks.openGroup(tx, { id: groupId, accountId });
    await tasks.add(tx, [{ groupId, queue: "action", subject: ERASE_ACCOUNT }]);
  };

  const erase = async (by: Actor, entry: NewAuditEntry & { accountId: string }) => {
    const { accountId } = entry;
    await accounts.find(accountId);
    const addTask: BeforeCommit<void> = (tx) => addErasure(tx, accountId);
    await accounts.markErasing(accountId, bothOnCommit(record(by, entry), addTask));
  };

  return {
    async suspend(by, accountId, reason) {
      refuseSelf(by, accountId);
      const { email } = await accounts.find(accountId);
      const entry = { action: "account.suspended", accountId, details: { reason } } as const;
      const pauseRechecks: BeforeCommit<void> = (tx) => tasks.pause(tx, recheckGroup(accountId));
      await accounts.markSuspended(accountId, reason, bothOnCommit(record(by, entry), pauseRechecks));
      await jobs.suspendAll(accountId);
      accounts.tellOwner(email, { kind: "suspended", reason });
    },

    async resume(by, accountId) {
      const { email, suspendedAt, suspendedReason } = await accounts.findListed(accountId);
      if (!suspendedAt) return;
      await accounts.markResumed(accountId, record(by, { action: "account.resumed", accountId }));
      await jobs.resumeAll(accountId);
      await resumeRechecks(accountId);
      await webhooks.releaseHeld(accountId);
      accounts.tellOwner(email, { kind: suspendedReason === WAITING_FOR_APPROVAL ? "approved" : "resumed" });
    },

    async endSessions(by, accountId) {
      await accounts.find(accountId);
      await orm.transaction(async (tx) => {
        await sessions.endAll(tx, accountId);
        await recordAudit(tx, by, { action: "sessions.ended", accountId });
      });
    },

    async erase(by, accountId, { email, reason }) {
      refuseSelf(by, accountId);
      const account = await accounts.find(accountId);
      if (account.email !== email.trim().toLowerCase())
        throw wrongValue("/email", "This is not the email of the account.");
      await erase(by, { action: "account.erasure_requested", accountId, details: { reason } });
    },

    // The entry is kept, so it does not have the owner's network.
    close: ({ ip: _, ...by }, accountId) => erase(by, { action: "account.closed", accountId }),

    // The task is deleted with the rest.
    handleErasure: ({ accountId }) => eraseRest(accountId),

    async reconcile() {
      const failures: unknown[] = []; // one account must not hold up the others
      const attempt = (work: Promise<unknown>) => work.catch((error: unknown) => void failures.push(error));
      await attempt(jobs.reconcileSuspensions());
      for (const accountId of await tasks.pausedAccounts(orm)) await attempt(resumeRechecks(accountId));
      for (const accountId of await accounts.listErasing())
        await attempt(orm.transaction((tx) => addErasure(tx, accountId)));
      if (failures.length > 0)
        throw new AggregateError(failures, `accounts that could not be completed: ${failures.length}`);
    },
  };
}

function ignoreSuspended(error: unknown): void {
  if (!(error instanceof Refusal && error.code === "account_suspended")) throw error;
}

function refuseSelf(by: Actor, accountId: string): void {
  if (by.accountId === accountId)
    throw new Refusal("operator_protected", "You cannot suspend or erase your own account here.");
}
