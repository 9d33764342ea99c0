/** mailvet job run: a file through a service, from the upload to the results. */
import type { Job } from "@mailvet/contract";
import { whenInterrupted } from "../interruption.ts";
import { chooseColumn } from "../list-file/email-column.ts";
import { resultsPath } from "../list-file/results-file.ts";
import { jobSummary, previewOf, standingOf } from "../output/job-view.ts";
import { meterOn } from "../output/progress-state.ts";
import { paintFor } from "../output/terminal.ts";
import { badUsage, type Service, ServiceFailure } from "../remote/service.ts";
import { fileAt } from "../remote/upload-file.ts";
import { type DownloadOptions, fetchResults } from "./job-download.ts";

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
