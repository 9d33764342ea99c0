/** mailvet job download: downloads the rows of a job with their verdicts into a file. */
import type { DownloadFormat, Status } from "@mailvet/contract";
import { MailvetUnreachable } from "@mailvet/sdk";
import { type OutOptions, openResultsFile, resultsName, resultsPath } from "../list-file/results-file.ts";
import type { RemoteService } from "../remote/service.ts";

export type DownloadOptions = OutOptions & { format: DownloadFormat; status?: Status };

/** A broken download is started again this often. */
const MAX_ATTEMPTS = 4;

export async function downloadJob(
  service: RemoteService,
  jobId: string,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<void> {
  const { filename } = await service.client.jobs.get(jobId, { signal });
  const resolved = { ...options, out: options.out ?? resultsName(filename, options.format) };
  const path = await resultsPath(undefined, resolved, options.format);
  await fetchResults(service, jobId, path, resolved, signal);
}

export async function fetchResults(
  { client }: RemoteService,
  jobId: string,
  path: string,
  { force, format, status }: DownloadOptions,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await using file = await openResultsFile(path, force ? { force } : {});
    let isStarted = false;
    try {
      const { body } = await client.jobs.download(jobId, { format, status }, { signal });
      const reader = body!.getReader();
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        isStarted = true;
        await file.write(chunk.value);
      }
      await file.finish();
      if (path !== "-") process.stderr.write(`results written to ${path}\n`);
      return;
    } catch (error) {
      // Output on a pipe cannot be taken back. Failures before the first byte were already retried by the SDK.
      if (!(error instanceof MailvetUnreachable) || !isStarted || path === "-" || attempt === MAX_ATTEMPTS)
        throw error;
    }
  }
}
