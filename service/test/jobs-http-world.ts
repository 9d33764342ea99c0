/** Client of the bulk API over HTTP: upload, confirm, follow, download. */
import { Job, UploadPreview } from "@mailvet/contract";
import type pg from "pg";
import { Compile } from "typebox/compile";
import { expect, vi } from "vitest";
import { expectShape, JOB, PREVIEW } from "./interface.ts";
import { PATIENCE } from "./patience.ts";
import { type Answer, type Asked, formWith, type TestAccount, type TestService } from "./service.ts";

export type Lists = {
  ask(path: string, asked?: Asked): Promise<Answer>;
  upload(content: string | Uint8Array<ArrayBuffer>, filename?: string): Promise<UploadPreview>;
  /** With the suggested column, unless another is given. */
  confirm(preview: UploadPreview, column?: string): Promise<Job>;
  /** Uploads and confirms. */
  begin(content: string | Uint8Array<ArrayBuffer>): Promise<Job>;
  job(id: string): Promise<Job>;
  move(id: string, move: "cancel" | "pause" | "resume"): Promise<Job>;
  /** Waits until the job satisfies the condition. */
  until(id: string, isIt: (job: Job) => boolean): Promise<Job>;
  ended(id: string): Promise<Job>;
  /** The downloaded CSV, line by line and cell by cell, the header first. */
  download(id: string, query?: string, delimiter?: string): Promise<string[][]>;
};

const previewSchema = Compile(UploadPreview);
const jobSchema = Compile(Job);

export function listsOf(service: Pick<TestService, "ask">, { key }: Pick<TestAccount, "key">): Lists {
  const ask = (path: string, asked: Asked = {}) => service.ask(path, { key, ...asked });
  const jobIn = async (answer: Promise<Answer>): Promise<Job> => {
    const { status, body } = await answer;
    expect(body).toMatchObject({ id: expect.any(String) });
    expect(status).toBe(200);
    return asJob(body);
  };
  const lists: Lists = {
    ask,
    async upload(content, filename) {
      const { status, body } = await ask("/bulk/upload/preview", { form: formWith(content, filename) });
      expect(body).toHaveProperty("upload_id");
      expect(status).toBe(200);
      expectShape(body, PREVIEW);
      expect(previewSchema.Errors(body)).toEqual([]);
      return body;
    },
    confirm: ({ upload_id, suggested_email_column }, column = suggested_email_column) =>
      jobIn(ask("/bulk/upload/confirm", { body: { upload_id, email_column: column } })),
    begin: async (content) => lists.confirm(await lists.upload(content)),
    job: (id) => jobIn(ask(`/bulk/jobs/${id}`)),
    move: (id, move) => jobIn(ask(`/bulk/jobs/${id}/${move}`, { method: "POST" })),
    until: (id, isIt) =>
      vi.waitFor(async () => {
        const job = await lists.job(id);
        expect(isIt(job), `${job.status} ${job.phase} ${job.processed}`).toBe(true);
        return job;
      }, PATIENCE),
    ended: (id) => lists.until(id, ({ phase }) => phase === "done"),
    async download(id, query = "", delimiter = ",") {
      const { status, headers, text } = await ask(`/bulk/jobs/${id}/download${query}`);
      expect([status, headers.get("content-type")]).toEqual([200, expect.stringMatching(/^text\/csv/)]);
      return cellsOf(text, delimiter);
    },
  };
  return lists;
}

/**
 * A job that stays in the phase retrying until its deferred emails are made due. They must all have the same delay; if it
 * is over before they are held, another job is begun.
 */
export async function beginHeld(lists: Lists, pool: Pick<pg.Pool, "query">, content: string): Promise<Job> {
  for (;;) {
    const { id } = await lists.begin(content);
    await lists.until(id, ({ phase }) => phase === "retrying" || phase === "done");
    if ((await setDue(pool, id, "1 hour")) === 1) return lists.job(id);
  }
}

export async function beginPaused(lists: Lists, pool: Pick<pg.Pool, "query">, content: string): Promise<Job> {
  return lists.move((await beginHeld(lists, pool, content)).id, "pause");
}

/** When the deferred emails of a job are due. Returns the number of their tasks, without those that have been fed. */
export async function setDue(
  pool: Pick<pg.Pool, "query">,
  jobId: string,
  later: string,
): Promise<number | null> {
  const text = "update tasks set due_at = now() + $2::interval where group_id = $1 and state = 'waiting'";
  const { rowCount } = await pool.query(text, [jobId, later]);
  await pool.query("select pg_notify('tasks', 'slice')");
  return rowCount;
}

/** A job's record, checked against the contract and for consistent counts. */
export function asJob(value: unknown): Job {
  const job = value as Job;
  expectShape(job, JOB);
  expect(jobSchema.Errors(job)).toEqual([]);
  const { valid_count, invalid_count, risky_count, unknown_count, processed } = job;
  expect(valid_count + invalid_count + risky_count + unknown_count).toBe(processed);
  expect(Object.values(job.sub_status_counts).reduce((sum, count) => sum + count, 0)).toBe(processed);
  expect(job.duplicate_count).toBe(job.total_emails - job.unique_emails);
  expect(job.total_emails).toBeLessThanOrEqual(job.total_rows * (1 + (job.more_email_columns?.length ?? 0)));
  const hasEnded = ["completed", "failed", "cancelled"].includes(job.status);
  expect([job.phase === "done", job.completed_at !== null, job.results_url !== null]).toEqual(
    Array(3).fill(hasEnded),
  );
  return job;
}

/** Parses CSV by RFC 4180, with a terminator after every line. */
export function cellsOf(text: string, delimiter = ","): string[][] {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${delimiter}\\r\\n]*))(\\${delimiter}|\\r\\n)`, "y");
  const rows: string[][] = [[]];
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const found = cell.exec(text);
    if (!found) throw new Error(`no CSV from here on: ${text.slice(at, at + 50)}`);
    const [, quoted, bare = "", end] = found;
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}
