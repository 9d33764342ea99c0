/**
 * Tasks that failed for good, kept in pg-boss's queue `dead_letter` for thirty days.
 *
 * A redrive adds the task again, in the transaction that removes the letter. What that means is up to the owner of the
 * queue: a slice replaces the results that were given up, a delivery is sent in a new series.
 */
import type { DeadLetter, DeadLetterListQuery } from "@mailvet/contract";
import { sql } from "drizzle-orm";
import { messageOf } from "../base/error-chain.ts";
import { Refusal } from "../base/refusal.ts";
import type { BeforeCommit, Database, Orm } from "../db/database.ts";
import { type Boss, inside } from "./boss.ts";
import type { QueueName, Task } from "./task.ts";

export type DeadLetters = {
  /** Newest first. */
  list(query: DeadLetterListQuery): Promise<{ letters: DeadLetter[]; total: number }>;
  /** Throws dead_letter_not_found, and dead_letter_obsolete if there is nothing left to do. */
  redrive(letterId: string, beforeCommit?: BeforeCommit<ExhaustedTask>): Promise<void>;
};

/** The task of a letter, and what onExhausted has returned (task.ts). */
export type ExhaustedTask = Pick<Task, "queue" | "groupId" | "accountId" | "subject"> & {
  details: Record<string, unknown>;
};

/** Adds the task again. False: there is nothing left to do. */
export type Redrive = (tx: Orm, task: ExhaustedTask) => Promise<boolean>;

export type DeadLetterDeps = {
  database: Pick<Database, "orm" | "pool">;
  redrives: Record<QueueName, Redrive>;
};

type Letter = ExhaustedTask & { failures: number; losses: number; error: string };

const MAX_ERROR_CHARS = 500;

/** In the transaction that completes the task. */
export async function addDeadLetter(
  boss: Boss,
  tx: Orm,
  { queue, groupId, accountId, subject, failures, turn }: Task,
  reason: Error,
  details: Record<string, unknown> = {},
): Promise<void> {
  const counts = { failures: failures + 1, losses: turn.retryCount };
  const error = messageOf(reason).replaceAll("\0", "").slice(0, MAX_ERROR_CHARS).toWellFormed();
  const data: Letter = { queue, groupId, accountId, subject, ...counts, error, details };
  await boss.insert("dead_letter", [{ data }], { db: inside(tx) });
}

export function createDeadLetters({ database, redrives }: DeadLetterDeps): DeadLetters {
  const { orm, pool } = database;
  return {
    async list({ skip, limit }) {
      const { rows } = await pool.query<Letter & { id: string; createdAt: Date }>(LIST, [limit, skip]);
      const { rows: counted } = await pool.query<{ total: number }>(COUNT);
      return { letters: rows.map(present), total: counted[0]!.total };
    },

    redrive: (letterId, beforeCommit) =>
      orm.transaction(async (tx) => {
        const { rows } = await tx.execute<Letter>(sql`
          delete from pgboss.job where name = 'dead_letter' and id = ${letterId} returning ${LETTER_COLUMNS}`);
        const letter = rows[0];
        if (!letter) throw new Refusal("dead_letter_not_found", "No dead letter with this id exists.");
        if (!(await redrives[letter.queue](tx, letter)))
          throw new Refusal("dead_letter_obsolete", "There is nothing left to do for this dead letter.");
        await beforeCommit?.(tx, letter);
      }),
  };
}

const FIELDS = `data->>'queue' as queue, data->>'groupId' as "groupId", data->>'accountId' as "accountId",
  data->>'subject' as subject, data->'details' as details, (data->>'failures')::int as failures,
  (data->>'losses')::int as losses, data->>'error' as error`;
const LETTER_COLUMNS = sql.raw(FIELDS);
const LIST = `
select id, created_on as "createdAt", ${FIELDS} from pgboss.job where name = 'dead_letter'
order by created_on desc, id limit $1 offset $2`;
const COUNT = "select count(*) as total from pgboss.job where name = 'dead_letter'";

function present({
  id,
  createdAt,
  queue,
  groupId,
  accountId,
  subject,
  ...rest
}: Letter & { id: string; createdAt: Date }) {
  const { failures, losses, error } = rest;
  return {
    id,
    kind: queue,
    account_id: accountId,
    group_id: groupId,
    subject,
    failures,
    losses,
    error,
    created_at: createdAt.toISOString(),
  };
}
