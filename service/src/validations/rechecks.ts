/**
 * Repeats single checks whose result was `unknown` (greylisted, rate limited, timed out …), from the durable queue and at the
 * time that the server named, like the rows of a list (retries.ts).
 *
 * The result goes into the verdict cache and is published as `validation.completed`. A recheck is free: the check was
 * charged when it was answered.
 */
import type { Plan, ValidationResult } from "@mailvet/contract";
import { and, count, eq, lt, sql } from "drizzle-orm";
import { planOf } from "../accounts/account-queries.ts";
import type { Database, Orm } from "../db/database.ts";
import { addressHash } from "../feedback/address-hash.ts";
import type { Redrive } from "../queue/dead-letters.ts";
import type { Task, TaskHandler } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import type { PublishEvent } from "../webhooks/publish-event.ts";
import type { Answers, ValidationAnswer } from "./answer.ts";
import type { CheckContext } from "./check-options.ts";
import { present } from "./present-result.ts";
import { retryDelayMs } from "./retries.ts";
import { rechecks } from "./schema.ts";

export type Rechecks = {
  /** Plans a recheck where the answer is one that may change. At most one for each address of an owner. */
  plan(context: CheckContext, answer: ValidationAnswer, result: ValidationResult): Promise<void>;
  /** For the queue "recheck"; the group is the account, the subject the row. */
  handler: TaskHandler;
  /** The row of a recheck that failed for good is kept until it is old. */
  redrive: Redrive;
  /** Checks of an account, in both modes, that wait for their next attempt. */
  waiting(accountId: string): Promise<WaitingCheck[]>;
  /** Deletes what no worker has processed in time; returns how many. */
  eraseOld(): Promise<number>;
};

export type WaitingCheck = {
  email: string;
  request_id: string;
  attempts: number;
  created_at: string;
  sandbox?: true;
};

export type RecheckDeps = {
  database: Pick<Database, "orm">;
  tasks: Pick<Tasks, "openGroup" | "add" | "complete" | "postpone">;
  announce: PublishEvent;
  answers: Pick<Answers, "inspect" | "knownAmong" | "ask">;
};

type Row = typeof rechecks.$inferSelect & { plan: Plan };

/** Per account and mode; beyond it checks are not repeated. */
const MAX_PLANNED = 10_000;
/** Longer than the schedule of retries.ts. */
const RETENTION = "6 hours";
/** For one attempt; most take seconds. */
const ATTEMPT_MS = 60_000;

export function createRechecks({ database, tasks, announce, answers }: RecheckDeps): Rechecks {
  const { orm } = database;

  /** The id of the row; undefined when this address has one already, or its owner has too many. */
  async function insert(tx: Orm, row: typeof rechecks.$inferInsert): Promise<string | undefined> {
    const ofOwner = and(eq(rechecks.accountId, row.accountId), eq(rechecks.isTest, row.isTest));
    const [planned] = await tx.select({ rows: count() }).from(rechecks).where(ofOwner);
    if (planned!.rows >= MAX_PLANNED) return undefined;
    const [inserted] = await tx.insert(rechecks).values(row).onConflictDoNothing().returning();
    return inserted?.id;
  }

  /** A result that became known since; otherwise one more attempt. */
  async function attempt(row: Row): Promise<ValidationAnswer> {
    const maxAgeMs = Date.now() - row.createdAt.getTime(); // the request may have declined older results
    const context = { accountId: row.accountId, isTest: row.isTest, attempt: row.attempts, maxAgeMs };
    const inspected = answers.inspect(row.email);
    const [known] = await answers.knownAmong(context, [inspected]);
    if (known && known.verdict.status !== "unknown") return known;
    const [answer] = await answers.ask(context, [inspected], { withinMs: ATTEMPT_MS, isUrgent: false });
    if (!answer) throw new Error("a recheck returned no answer");
    return answer;
  }

  return {
    async plan({ accountId, isTest }, answer, result) {
      const { address, email } = answer.evidence;
      const dueInMs = delayOf(answer, result, { attempt: 0, elapsedMs: 0 });
      if (!address || dueInMs === undefined) return;
      const owner = isTest ? `${accountId}/test` : accountId; // the modes have a recheck each
      const hash = Buffer.from(addressHash(owner, address.normalized), "hex");
      const row = { accountId, requestId: result.request_id, email, addressHash: hash, isTest };
      await orm.transaction(async (tx) => {
        const id = await insert(tx, row);
        if (id === undefined) return;
        await tasks.openGroup(tx, { id: accountId, accountId });
        await tasks.add(tx, [{ groupId: accountId, queue: "recheck", subject: id, dueInMs }]);
      });
    },

    async handler(task) {
      const startedAtMs = performance.now();
      const row = await find(orm, task);
      if (!row) {
        await tasks.complete(orm, task);
        return;
      }
      const { accountId, isTest, requestId, attempts } = row;
      const answer = await attempt(row);
      const result = present(answer, row, { requestId, startedAtMs });
      const elapsedMs = Date.now() - row.createdAt.getTime();
      const dueInMs = delayOf(answer, result, { attempt: attempts, elapsedMs });
      await orm.transaction(async (tx) => {
        const isOver = dueInMs === undefined;
        // First: if another process has the task by now, nothing is changed.
        const isOurs = isOver ? await tasks.complete(tx, task) : await tasks.postpone(tx, task, { dueInMs });
        if (!isOurs) return;
        if (!isOver) {
          await tx
            .update(rechecks)
            .set({ attempts: attempts + 1 })
            .where(isRowOf(task));
          return;
        }
        await tx.delete(rechecks).where(isRowOf(task));
        await announce(tx, { accountId, isTest }, "validation.completed", { request_id: requestId, result });
      });
    },

    async waiting(accountId) {
      const rows = await orm
        .select()
        .from(rechecks)
        .where(eq(rechecks.accountId, accountId))
        .orderBy(rechecks.createdAt);
      return rows.map(({ email, requestId, attempts, createdAt, isTest }) => ({
        email,
        request_id: requestId,
        attempts,
        created_at: createdAt.toISOString(),
        ...(isTest && { sandbox: true as const }),
      }));
    },

    async redrive(tx, task) {
      const found = await tx.select({ id: rechecks.id }).from(rechecks).where(isRowOf(task)).for("update");
      if (found.length === 0) return false;
      await tasks.openGroup(tx, { id: task.groupId, accountId: task.accountId });
      await tasks.add(tx, [{ groupId: task.groupId, queue: "recheck", subject: task.subject }]);
      return true;
    },

    async eraseOld() {
      const isOld = lt(rechecks.createdAt, sql`now() - ${RETENTION}::interval`);
      const erased = await orm.delete(rechecks).where(isOld).returning({ id: rechecks.id });
      return erased.length;
    },
  };
}

function isRowOf({ groupId, subject }: Pick<Task, "groupId" | "subject">) {
  return and(eq(rechecks.id, subject), eq(rechecks.accountId, groupId));
}

async function find(orm: Pick<Orm, "select">, task: Task): Promise<Row | undefined> {
  const [row] = await orm.select().from(rechecks).where(isRowOf(task));
  const plan = row && (await planOf(orm, row.accountId));
  return row && plan && { ...row, plan };
}

/** How long to wait before the next attempt; undefined when there is none. */
function delayOf(
  { isFinal }: ValidationAnswer,
  { sub_status: subStatus, metadata }: ValidationResult,
  way: { attempt: number; elapsedMs: number },
): number | undefined {
  if (isFinal) return undefined;
  return retryDelayMs({ subStatus, retryAfterSeconds: metadata.retry_after ?? undefined, ...way });
}
