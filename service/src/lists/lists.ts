/**
 * Saved lists: a completed job that is kept, and whose stale results are checked again on a schedule (jobs/recheck.ts).
 *
 * Maintenance starts the runs that are due. When such a run ends, what changed is counted in the transaction that ends it, and
 * told by the event `list.changed` and by email.
 */
import type {
  CreateListRequest,
  Job,
  ListChange,
  SavedList,
  UpdateListRequest,
  WebhookEvent,
} from "@mailvet/contract";
import { and, desc, eq, lte, sql } from "drizzle-orm";
import { planOf } from "../accounts/account-queries.ts";
import { type Actor, recordAudit } from "../audit/audit-writer.ts";
import type { Caller, Owner } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import type { Database, Orm } from "../db/database.ts";
import type { RecheckJob } from "../jobs/recheck/recheck.ts";
import { changedRows, countChanged } from "../jobs/result-rows.ts";
import { keepJob } from "../jobs/retention.ts";
import { emailTemplates } from "../mail/email-templates.ts";
import type { Notifications } from "../notifications/notifications.ts";
import type { PublishEvent } from "../webhooks/publish-event.ts";
import { savedLists } from "./schema.ts";

/** Throws list_not_found, also for another owner's list. */
export type Lists = {
  /** Of a completed job; throws job_not_found and job_state_conflict. Saving a job again returns the same list. */
  create(owner: Owner, request: CreateListRequest, by: Actor): Promise<SavedList>;
  /** Newest first. */
  all(owner: Owner): Promise<SavedList[]>;
  find(owner: Owner, listId: string): Promise<SavedList>;
  change(owner: Owner, listId: string, changes: UpdateListRequest, by: Actor): Promise<SavedList>;
  /** The job and its results expire after the retention again. */
  remove(owner: Owner, listId: string, by: Actor): Promise<void>;
  /** Rows whose status changed in the last run, at most a thousand. */
  changes(owner: Owner, listId: string): Promise<ListChange[]>;
  /** In the transaction that ends a job. */
  onEvent(tx: Orm, owner: Owner, event: WebhookEvent, data: Record<string, unknown>): Promise<void>;
  /** Starts runs that are due; returns how many. For maintenance. */
  runDue(): Promise<number>;
};

export type ListDeps = {
  database: Pick<Database, "orm">;
  recheckJob: () => RecheckJob;
  publish: PublishEvent;
  notifications: Pick<Notifications, "tell">;
  retentionDays: number;
  /** Of the web app, for links. */
  publicUrl: string;
};

type Row = typeof savedLists.$inferSelect;

const STALE_AFTER_DAYS = 7;
/**
 * An age is counted in whole days, to the nearest one: the checks of a run end after its beginning, and would be too new for the
 * next one of a weekly list whose results are stale after a week.
 */
const ROUNDED_DAYS = 0.5;
const MAX_CHANGES = 1000;
const MAX_RUNS = 20;
/**
 * When a claimed run that did not start, because of other jobs or because a process or the database failed, is tried again. Not
 * by `now()`, which is the beginning of the transaction: a slow one would take a later claim for a change of the schedule.
 */
const CLAIM_ENDS_AT = sql<Date>`clock_timestamp() + interval '5 minutes'`;
const INTERVALS = { daily: "1 day", weekly: "7 days", monthly: "1 month" } as const;

export function createLists({
  database,
  recheckJob,
  publish,
  notifications,
  retentionDays,
  publicUrl,
}: ListDeps): Lists {
  const { orm } = database;

  const rowOf = async (by: Pick<Orm, "select">, owner: Owner, listId: string): Promise<Row> => {
    const [row] = await by
      .select()
      .from(savedLists)
      .where(and(eq(savedLists.id, listId), isListOf(owner)));
    if (!row) throw new Refusal("list_not_found", "No list with this id exists in this account.");
    return row;
  };

  /** Once a run has started or was refused. False: since the claim another process ran the list, or its schedule was changed. */
  async function planNext(by: Pick<Orm, "update">, { id, schedule }: Row, lastError: string | null) {
    const planned = await by
      .update(savedLists)
      .set({ lastRunAt: sql`now()`, nextRunAt: nextRunOf(schedule), lastError })
      .where(and(eq(savedLists.id, id), lte(savedLists.nextRunAt, CLAIM_ENDS_AT)))
      .returning({ id: savedLists.id });
    return planned.length > 0;
  }

  async function run(row: Row): Promise<boolean> {
    const { id, accountId, isTest, jobId, staleAfterDays } = row;
    const [claimed] = await orm
      .update(savedLists)
      .set({ nextRunAt: CLAIM_ENDS_AT })
      .where(and(eq(savedLists.id, id), lte(savedLists.nextRunAt, sql`now()`))) // else another process has it
      .returning();
    const plan = claimed && (await planOf(orm, accountId));
    if (!plan) return false;
    const by = { kind: "session", sessionId: id } as const;
    const caller: Caller = { accountId, isTest, plan, isOperator: false, by };
    const olderThan = new Date(Date.now() - (staleAfterDays - ROUNDED_DAYS) * 86_400_000).toISOString();
    try {
      await recheckJob()(caller, jobId, { which: "stale", olderThan }, async (tx) => {
        if (!(await planNext(tx, claimed, null)))
          throw new Refusal("job_state_conflict", "This run of the list is no longer due.");
      });
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === "too_many_active_jobs") {
        await orm.update(savedLists).set({ lastError: error.message }).where(eq(savedLists.id, id));
        return false; // tried again when the claim ends
      }
      const isConflict = error.code === "job_state_conflict"; // nothing is stale, or it is being checked
      await orm.transaction(async (tx) => {
        const isPlanned = await planNext(tx, claimed, isConflict ? null : error.message);
        if (isConflict || !isPlanned) return;
        const email = emailTemplates.listNotValidated({ ...row, refusal: error }, publicUrl);
        await notifications.tell(tx, { accountId, isTest }, email);
      });
      return false;
    }
  }

  return {
    create: (owner, { job_id: jobId, name, tags = [], schedule = null, stale_after_days }, by) =>
      orm.transaction(async (tx) => {
        await keepJob(tx, owner, jobId, retentionDays, true);
        const staleAfterDays = stale_after_days ?? STALE_AFTER_DAYS;
        const { accountId, isTest } = owner;
        const nextRunAt = nextRunOf(schedule);
        const [created] = await tx
          .insert(savedLists)
          .values({ accountId, isTest, jobId, name, tags, schedule, staleAfterDays, nextRunAt })
          .onConflictDoNothing()
          .returning();
        if (created) {
          await record(tx, by, "created", created, { schedule: schedule ?? "never" });
          return present(created);
        }
        const [row] = await tx.select().from(savedLists).where(eq(savedLists.jobId, jobId));
        return present(row!);
      }),

    async all(owner) {
      const rows = await orm
        .select()
        .from(savedLists)
        .where(isListOf(owner))
        .orderBy(desc(savedLists.createdAt));
      return rows.map(present);
    },

    find: async (owner, listId) => present(await rowOf(orm, owner, listId)),

    change: (owner, listId, { stale_after_days: staleAfterDays, ...changes }, by) =>
      orm.transaction(async (tx) => {
        const row = await rowOf(tx, owner, listId);
        const { schedule } = changes;
        const set = {
          ...changes,
          ...(staleAfterDays !== undefined && { staleAfterDays }),
          ...(schedule !== undefined && { nextRunAt: nextRunOfChanged(schedule) }),
        };
        if (Object.keys(set).length > 0) {
          await tx.update(savedLists).set(set).where(eq(savedLists.id, listId));
          await record(
            tx,
            by,
            "changed",
            row,
            schedule === undefined ? {} : { schedule: schedule ?? "never" },
          );
        }
        return present(await rowOf(tx, owner, listId));
      }),

    remove: (owner, listId, by) =>
      orm.transaction(async (tx) => {
        const { jobId } = await rowOf(tx, owner, listId);
        await keepJob(tx, owner, jobId, retentionDays, false); // locks the job before the list, as its end does
        const row = await rowOf(tx, owner, listId); // unless it was deleted meanwhile
        await tx.delete(savedLists).where(eq(savedLists.id, listId));
        await record(tx, by, "deleted", row, {});
      }),

    async changes(owner, listId) {
      const { jobId } = await rowOf(orm, owner, listId);
      return changedRows(orm, jobId, MAX_CHANGES);
    },

    async onEvent(tx, owner, event, data) {
      const job = data.job as Job | undefined;
      if (event !== "job.completed" || !job || job.attempt === 1) return;
      const [row] = await tx.select().from(savedLists).where(eq(savedLists.jobId, job.id));
      if (!row) return;
      const { invalid: newlyInvalid, valid: recovered } = await countChanged(tx, job.id);
      const [list] = await tx
        .update(savedLists)
        .set({ newlyInvalid, recovered, lastRunAt: sql`now()` })
        .where(eq(savedLists.id, row.id))
        .returning();
      if (newlyInvalid + recovered === 0) return;
      await publish(tx, owner, "list.changed", { list: present(list!) });
      const changed = { id: row.id, name: row.name, newlyInvalid, recovered };
      await notifications.tell(tx, owner, emailTemplates.listChanged(changed, publicUrl));
    },

    async runDue() {
      const due = await orm
        .select()
        .from(savedLists)
        .where(lte(savedLists.nextRunAt, sql`now()`))
        .orderBy(savedLists.nextRunAt)
        .limit(MAX_RUNS);
      let started = 0;
      for (const row of due) if (await run(row)) started += 1;
      return started;
    },
  };
}

const isListOf = ({ accountId, isTest }: Owner) =>
  and(eq(savedLists.accountId, accountId), eq(savedLists.isTest, isTest));

function record(
  tx: Orm,
  by: Actor,
  event: "created" | "changed" | "deleted",
  { id, accountId, isTest }: Row,
  details: Record<string, string>,
): Promise<void> {
  const mode = isTest ? "test" : "live";
  return recordAudit(tx, by, {
    action: `list.${event}`,
    accountId,
    subjectId: id,
    details: { mode, ...details },
  });
}

function nextRunOf(schedule: Row["schedule"]) {
  return schedule === null ? null : sql<Date>`now() + ${INTERVALS[schedule]}::interval`;
}

/** A request that repeats the schedule does not put off the next run. */
function nextRunOfChanged(schedule: Row["schedule"]) {
  return sql<Date>`case when ${savedLists.schedule} is distinct from ${schedule}
    then (${nextRunOf(schedule)})::timestamptz else ${savedLists.nextRunAt} end`;
}

function present(row: Row): SavedList {
  return {
    id: row.id,
    ...(row.isTest && { sandbox: true as const }),
    job_id: row.jobId,
    name: row.name,
    tags: row.tags,
    schedule: row.schedule,
    stale_after_days: row.staleAfterDays,
    created_at: row.createdAt.toISOString(),
    next_run_at: row.nextRunAt?.toISOString() ?? null,
    last_run_at: row.lastRunAt?.toISOString() ?? null,
    last_error: row.lastError,
    newly_invalid: row.newlyInvalid,
    recovered: row.recovered,
  };
}
