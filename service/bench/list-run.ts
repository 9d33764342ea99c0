/** What benchmarks of whole lists share: a database of their own, and a list from the upload to the end of its job. */
import { randomBytes } from "node:crypto";
import type { Job, UploadPreview } from "@mailvet/contract";
import type { EmbeddedPostgres } from "@mailvet/embedded-postgres";
import pg from "pg";

export const KEY = "bench-key-of-forty-characters-0123456789";

export async function createDatabase({ connection }: EmbeddedPostgres): Promise<pg.ClientConfig> {
  const name = `bench_${randomBytes(6).toString("hex")}`;
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return { ...connection, database: name };
}

export function databaseUrl({ host, database, user }: pg.ClientConfig): string {
  return `postgres://${encodeURIComponent(host!)}/${database}?user=${user}`;
}

/** Returns the job, and the seconds from its confirmation to its end. Throws unless it is completed. */
export async function runList(
  base: string,
  list: string,
  key?: string,
): Promise<{ job: Job; seconds: number }> {
  const preview = await uploadList(base, list, key);
  const startedAt = performance.now();
  const job = await processList(base, preview, key);
  return { job, seconds: (performance.now() - startedAt) / 1000 };
}

export function uploadList(base: string, list: string, key?: string): Promise<UploadPreview> {
  const form = new FormData();
  form.set("file", new Blob([list], { type: "text/csv" }), "list.csv");
  return ask<UploadPreview>(`${base}/bulk/upload/preview`, { method: "POST", body: form }, key);
}

export async function processList(base: string, preview: UploadPreview, key?: string): Promise<Job> {
  let job = await confirmList(base, preview, key);
  while (job.completed_at === null) job = await ask<Job>(`${base}/bulk/jobs/${job.id}?wait=5`, {}, key);
  if (job.status !== "completed") throw new Error(JSON.stringify(job));
  return job;
}

export function confirmList(base: string, preview: UploadPreview, key?: string): Promise<Job> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ upload_id: preview.upload_id, email_column: preview.suggested_email_column }),
  };
  return ask<Job>(`${base}/bulk/upload/confirm`, init, key);
}

export async function ask<T>(url: string, init: RequestInit = {}, key = KEY): Promise<T> {
  const answer = await fetch(url, { ...init, headers: { ...init.headers, "x-api-key": key } });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}
