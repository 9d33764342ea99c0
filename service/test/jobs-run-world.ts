/** Jobs whose slices run on a real database and queue, against the lab's mail servers. */
import { randomUUID } from "node:crypto";
import type { Job, WebhookEvent } from "@mailvet/contract";
import type { MailWorld } from "@mailvet/lab";
import { eq, sql } from "drizzle-orm";
import { expect } from "vitest";
import type { Caller } from "../src/base/caller.ts";
import { reserveForRun } from "../src/credits/run-credits.ts";
import { finishHandler } from "../src/jobs/finish-early.ts";
import { createJobActions } from "../src/jobs/job-actions.ts";
import { readJobRecord } from "../src/jobs/job-record.ts";
import { createJobTransitions } from "../src/jobs/job-transitions.ts";
import { partitionFor } from "../src/jobs/retention.ts";
import { duplicates, jobs, results, slices } from "../src/jobs/schema.ts";
import { sliceHandler } from "../src/jobs/slice-handler.ts";
import type { Task } from "../src/queue/task.ts";
import { createUploadFiles } from "../src/uploads/upload-files.ts";
import type { Validations } from "../src/validations/validations.ts";
import type { PublishEvent } from "../src/webhooks/publish-event.ts";
import { openClaims } from "./claims.ts";
import { recordEvents } from "./recorded-events.ts";
import { openValidationWorld } from "./validation-world.ts";

export type JobWorld = Awaited<ReturnType<typeof openJobWorld>>;
export type Published = { event: WebhookEvent; job: Job };

export async function openJobWorld(mailWorld: MailWorld = {}) {
  const world = await openValidationWorld(mailWorld);
  const { database } = world;
  const { orm, pool } = database;
  const claims = openClaims(database);
  const { tasks } = claims;
  const published: Published[] = [];
  const publish: PublishEvent = async (_, __, event, data) => {
    published.push({ event, job: data.job as Job });
  };
  const transitions = createJobTransitions({
    database,
    tasks,
    publish,
    retentionDays: 30,
    unknownRefund: "own_fault",
  });
  const files = createUploadFiles({ pool, blobs: database.blobs });
  const actions = createJobActions({
    database,
    tasks,
    files,
    transitions,
    retentionDays: 30,
  });

  let ranAtMs = 0;

  /** A process that runs slices. */
  const open = (options: { validations?: Pick<Validations, "answers">; waitMs?: number } = {}) => {
    const { validations = world.open(), ...rest } = options;
    const { log, events } = recordEvents();
    const handle = sliceHandler({
      database,
      tasks,
      transitions,
      progress: { note: () => {} },
      answers: validations.answers,
      log,
      countVerdict: () => {},
      unknownRefund: "own_fault",
      providerWaitMs: 12 * 3_600_000,
      ...rest,
    });
    const claim = (count?: number) => claims.claim("slice", count);
    return {
      validations,
      events,
      claim,
      run(task: Task, signal: AbortSignal = new AbortController().signal) {
        ranAtMs = performance.now();
        return handle(task, signal);
      },
      /** Runs every due task concurrently. */
      async runDue() {
        ranAtMs = performance.now();
        const claimed = await claim();
        await Promise.all(claimed.map((task) => handle(task, new AbortController().signal)));
        return claimed.length;
      },
    };
  };

  /** A process that finishes jobs early. */
  const openFinisher = (onBatch = (_jobId: string): void => {}) => {
    const { inspect } = world.open().answers;
    const handle = finishHandler({ database, tasks, transitions, progress: { note: onBatch }, inspect });
    return {
      claim: () => claims.claim("action"),
      run: (task: Task) => handle(task, new AbortController().signal),
      async runDue() {
        for (const task of await claims.claim("action")) await handle(task, new AbortController().signal);
      },
    };
  };

  /** A planned job with one slice per list of emails; repeated emails are its duplicates. */
  const add = async (caller: Caller, lists: readonly (readonly string[])[]): Promise<string> => {
    const { accountId, isTest, by } = caller;
    const id = randomUUID();
    const firstRow = new Map<string, number>();
    const repeated: { jobId: string; row: number; firstRow: number; email: string }[] = [];
    let row = 0;
    const cut = lists.map((emails) =>
      emails.flatMap((email): [number, string][] => {
        row += 1;
        const first = firstRow.get(email);
        if (first !== undefined) {
          repeated.push({ jobId: id, row, firstRow: first, email });
          return [];
        }
        firstRow.set(email, row);
        return [[row, email]];
      }),
    );
    const rowsExpireOn = await partitionFor(pool, 30);
    await orm.transaction(async (tx) => {
      const reservationId = isTest ? null : randomUUID();
      const keyId = by.kind === "key" ? by.keyId : null;
      await tx.insert(jobs).values({
        id,
        accountId,
        uploadId: randomUUID(),
        keyId,
        isTest,
        status: "processing",
        startedAt: new Date(),
        filename: "list.csv",
        emailColumn: "email",
        columnNumber: 0,
        totalRows: row,
        totalEmails: row,
        uniqueEmails: firstRow.size,
        isPlanned: true,
        reservationId,
        rowsExpireOn,
      });
      const inPartition = repeated.map((row) => ({ ...row, expiresOn: rowsExpireOn! }));
      if (repeated.length > 0) await tx.insert(duplicates).values(inPartition);
      await tasks.openGroup(tx, { id, accountId });
      for (const [number, emails] of cut.entries()) {
        if (emails.length === 0) continue;
        await tx.insert(slices).values({ jobId: id, number, emails });
        await tasks.add(tx, [{ groupId: id, queue: "slice", subject: String(number) }]);
      }
      const amount = firstRow.size;
      if (reservationId)
        await reserveForRun(tx, { accountId, amount, runId: reservationId, jobId: id, keyId });
    });
    return id;
  };

  const recordOf = async (jobId: string) => (await readJobRecord(orm, jobId))!;
  const resultsOf = (jobId: string) =>
    orm.select().from(results).where(eq(results.jobId, jobId)).orderBy(results.row);

  const dueIn = async (jobId: string): Promise<number[]> => {
    const { rows } = await pool.query<{ seconds: number }>(
      `select extract(epoch from due_at - now())::float8 as seconds from tasks
       where group_id = $1 and state <> 'taken' order by due_at`,
      [jobId],
    );
    return rows.map(({ seconds }) => Math.round(seconds));
  };

  return {
    ...world,
    boss: claims.boss,
    feed: claims.feed,
    tasks,
    transitions,
    files,
    actions,
    published,
    openValidations: world.open,
    open,
    openFinisher,
    add,
    recordOf,
    resultsOf,
    eventsOf: (jobId: string) => published.filter(({ job }) => job.id === jobId).map(({ event }) => event),
    balanceOf: (caller: Caller) => world.ledger.balanceOf(caller.accountId),
    /** Seconds until each waiting task of a job is due. */
    dueIn,
    /** The waiting tasks of a job are due so many seconds after they were saved, at some moment since the last run began. */
    async expectDelays(jobId: string, delays: readonly number[]): Promise<void> {
      const seconds = await dueIn(jobId);
      const agoSeconds = (performance.now() - ranAtMs) / 1000;
      expect(seconds).toHaveLength(delays.length);
      for (const [index, delay] of delays.entries()) {
        expect(seconds[index]).toBeLessThanOrEqual(delay + 1);
        // timing: holds however long the run took
        expect(seconds[index]! + agoSeconds).toBeGreaterThanOrEqual(delay - 1);
      }
    },
    /** Makes every waiting task of a job due. */
    hurry: (jobId: string) =>
      orm.execute(sql`update tasks set due_at = now() where group_id = ${jobId} and state = 'waiting'`),
    lose: claims.lose,
    /** Nothing is lost or double: each row is a result or a duplicate, and the record agrees. */
    async expectSums(jobId: string): Promise<void> {
      const { rows } = await pool.query(
        `select j.processed, j.total_emails,
           (select count(*) from results r where r.job_id = j.id) as results,
           (select count(*) from duplicates d where d.job_id = j.id) as duplicates,
           (select coalesce(sum(count), 0)::int from job_counts c where c.job_id = j.id) as counted,
           (select count(*) from slices s where s.job_id = j.id) as slices
         from jobs j where id = $1`,
        [jobId],
      );
      const {
        processed,
        total_emails: total,
        results: found,
        duplicates: repeated,
        counted,
        slices: left,
      } = rows[0];
      expect({ processed, counted, total, left }).toEqual({
        processed: found,
        counted: found,
        total: found + repeated,
        left: 0,
      });
    },
  };
}
