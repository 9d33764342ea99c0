/** mailvet job download: a job's rows with their verdicts, into a file that is there only when it is whole. */
import type { DownloadQuery, Status } from "@mailvet/contract";
import { MailvetUnreachable } from "@mailvet/sdk";
import { type OutOptions, openResultsFile, resultsName, resultsPath } from "../list-file/results-file.ts";
import type { Service } from "../remote/service.ts";

export type DownloadOptions = OutOptions & { format: DownloadQuery["format"]; status?: Status };

/** A connection that breaks on the way is no reason to give up at once. */
const TRIES = 4;

export async function downloadJob(
  service: Service,
  jobId: string,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<void> {
  const { filename } = await service.client.jobs.get(jobId, { signal });
  const wanted = { ...options, out: options.out ?? resultsName(filename, options.format) };
  const path = await resultsPath(undefined, wanted, options.format);
  await fetchResults(service, jobId, path, wanted, signal);
}

export async function fetchResults(
  { client }: Service,
  jobId: string,
  path: string,
  { force, format, status }: DownloadOptions,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    await using file = await openResultsFile(path, force ? { force } : {});
    let isBegun = false;
    try {
      const { body } = await client.jobs.download(jobId, { format, status }, { signal });
      const reader = body!.getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        isBegun = true;
        await file.write(piece.value);
      }
      await file.finish();
      if (path !== "-") process.stderr.write(`results in ${path}\n`);
      return;
    } catch (error) {
      // What was printed cannot be taken back; before the first byte the client has tried often enough.
      if (!(error instanceof MailvetUnreachable) || !isBegun || path === "-" || tries === TRIES) throw error;
    }
  }
}
