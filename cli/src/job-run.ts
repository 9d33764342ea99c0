/** mailvet job run: a file through a service, from the upload to the results. */
import { createReadStream, openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { Job } from "@mailvet/contract";
import type { UploadFile } from "@mailvet/sdk";
import { CommanderError } from "commander";
import { chooseColumn } from "./email-column.ts";
import { whenInterrupted } from "./interruption.ts";
import { type DownloadOptions, fetchResults } from "./job-download.ts";
import { jobSummary, previewOf, standingOf } from "./job-view.ts";
import { meterOn } from "./meter.ts";
import { resultsPath } from "./results-file.ts";
import { badUsage, type Service, ServiceFailure } from "./service.ts";
import { paintFor } from "./terminal.ts";

export type RunOptions = DownloadOptions & { column?: string; json?: true };

export async function runJob(
  service: Service,
  list: string,
  options: RunOptions,
  signal: AbortSignal,
): Promise<void> {
  if (options.json && options.out === "-")
    throw badUsage("--json and --out - would both be standard output; give one of them");
  const path = await resultsPath(list, options, options.format);
  const { id } = await begin(service, list, options, signal);
  const job = await followJob(service, id, signal);
  if (job.status !== "completed") throw endedBadly(job);
  await whenInterrupted(
    `the job is done; fetch its results with: mailvet job download ${id}`,
    fetchResults(service, id, path, options, signal),
  );
  if (options.json) process.stdout.write(`${JSON.stringify(job)}\n`);
}

async function begin(
  { client }: Service,
  list: string,
  { column }: RunOptions,
  signal: AbortSignal,
): Promise<Job> {
  if (process.stderr.isTTY) say("uploading …");
  const preview = await whenInterrupted(
    "nothing was begun, and nothing is charged",
    client.jobs.upload(await fileAt(list), { signal }),
  );
  const { columns, suggested_email_column: suggested } = preview;
  const emailCounts = columns.map((name) => preview.email_count_by_column[name] ?? 0);
  const found = { list, columns, emailCounts, suggested: columns.indexOf(suggested) };
  const emailColumn = columns[chooseColumn(found, column)]!;
  say(previewOf(preview, emailColumn, client.creditsRemaining, paintFor(process.stderr)));
  const job = await whenInterrupted(
    "nobody knows yet whether it has begun; see: mailvet job list",
    client.jobs.confirm({ uploadId: preview.upload_id, emailColumn }, { signal }),
  );
  say(`job ${job.id} has begun`);
  return job;
}

/** A file can be sent again after a failure; what comes through a pipe cannot. */
export async function fileAt(list: string): Promise<UploadFile> {
  if (list === "-") return { name: "standard-input.csv", content: process.stdin };
  try {
    const stats = await stat(list);
    if (stats.isDirectory()) throw new Error("it is a directory");
    return {
      name: basename(list),
      content: stats.isFile() ? await openAsBlob(list) : createReadStream(list),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommanderError(2, "mailvet.list", `cannot read the list ${list}: ${why}`);
  }
}

/** Shows how far it is until it has ended, and then what came of it. */
export async function followJob({ client }: Service, jobId: string, signal: AbortSignal): Promise<Job> {
  using meter = meterOn(process.stderr);
  const job = await whenInterrupted(
    `the job goes on at the service; come back to it with: mailvet job show ${jobId} --wait\n` +
      `  → or end it with: mailvet job cancel ${jobId}`,
    client.jobs.wait(jobId, { signal, onProgress: (now) => meter.show(standingOf(now)) }),
  );
  meter[Symbol.dispose]();
  say(jobSummary(job));
  return job;
}

export function endedBadly({ id, status, error }: Job): ServiceFailure {
  const why = error ? `: ${error.detail} (${error.code})` : "";
  return new ServiceFailure(
    `the job ${status === "failed" ? "failed" : "was cancelled"}${why}\n  → what was found before: mailvet job download ${id}`,
  );
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
