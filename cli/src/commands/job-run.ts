/** mailvet job run: uploads a file, starts the job, follows it, and downloads the results. */
import type { Job } from "@mailvet/contract";
import { withInterruptMessage } from "../interruption.ts";
import { chooseColumn } from "../list-file/email-column.ts";
import { assertReadable } from "../list-file/list-path.ts";
import { resultsPath } from "../list-file/results-file.ts";
import { jobSummary, previewOf, progressStateOf } from "../output/job-view.ts";
import { progressDisplayOn } from "../output/progress-state.ts";
import { explainSystemError, SystemFailure } from "../output/system-failure.ts";
import { paintFor } from "../output/terminal.ts";
import { badUsage, printPlace, type RemoteService, ServiceFailure } from "../remote/service.ts";
import { fileAt } from "../remote/upload-file.ts";
import { contentOf, type DownloadOptions, fetchResults } from "./job-download.ts";

export type RunOptions = DownloadOptions & { column?: string; sheet?: string; json?: true; wait: boolean };

export async function runJob(
  service: RemoteService,
  list: string,
  options: RunOptions,
  signal: AbortSignal,
): Promise<void> {
  if (options.json && options.out === "-")
    throw badUsage("--json and --out - both write to standard output; use only one of them");
  await assertReadable(list);
  if (!options.wait) {
    const started = await startJob(service, list, options, signal);
    process.stdout.write(`${options.json ? JSON.stringify(started) : started.id}\n`);
    return;
  }
  const path = await resultsPath(list, options, options.format, contentOf(options));
  const { id } = await startJob(service, list, options, signal);
  const job = await followJob(service, id, signal);
  if (job.status !== "completed") throw jobFailure(job);
  await withInterruptMessage(
    `the job is complete; download its results with: mailvet job download ${id}`,
    fetchResults(service, id, path, options, signal),
  ).catch((error: unknown) => {
    const failure = service.explain(explainSystemError(error));
    if (failure instanceof SystemFailure || failure instanceof ServiceFailure)
      failure.message += `\n  → mailvet job download ${id}`;
    throw failure;
  });
  if (options.json) process.stdout.write(`${JSON.stringify(job)}\n`);
}

async function startJob(
  service: RemoteService,
  list: string,
  { column, sheet }: RunOptions,
  signal: AbortSignal,
): Promise<Job> {
  const { client } = service;
  printPlace(service);
  if (process.stderr.isTTY) printStatus("uploading …");
  const preview = await withInterruptMessage(
    "no job was started, and nothing was charged",
    client.jobs.upload(await fileAt(list), { sheet, signal }),
  );
  const { columns, suggested_email_column: suggested } = preview;
  const emailCounts = columns.map((name) => preview.email_count_by_column[name] ?? 0);
  const found = { list, columns, emailCounts, suggested: columns.indexOf(suggested) };
  const emailColumn = columns[chooseColumn(found, column)]!;
  printStatus(previewOf(preview, emailColumn, client.creditsRemaining, paintFor(process.stderr)));
  const job = await withInterruptMessage(
    "the job may or may not have started; check with: mailvet job list",
    client.jobs.confirm({ uploadId: preview.upload_id, emailColumn }, { signal }),
  );
  printStatus(`job ${job.id} started`);
  return job;
}

/** Shows progress until the job has finished, then its summary. */
export async function followJob({ client }: RemoteService, jobId: string, signal: AbortSignal): Promise<Job> {
  using display = progressDisplayOn(process.stderr);
  const job = await withInterruptMessage(
    `the job keeps running at the service; follow it with: mailvet job show ${jobId} --wait\n` +
      `  → or cancel it with: mailvet job cancel ${jobId}`,
    client.jobs.wait(jobId, { signal, onProgress: (job) => display.show(progressStateOf(job)) }),
  );
  display[Symbol.dispose]();
  printStatus(jobSummary(job));
  return job;
}

export function jobFailure({ id, status, error }: Job): ServiceFailure {
  const why = error ? `: ${error.detail} (${error.code})` : "";
  return new ServiceFailure(
    `the job ${status === "failed" ? "failed" : "was cancelled"}${why}\n  → partial results: mailvet job download ${id}`,
  );
}

function printStatus(text: string): void {
  process.stderr.write(`${text}\n`);
}
