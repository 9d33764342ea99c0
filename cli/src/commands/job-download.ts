/** mailvet job download: downloads the rows of a job with their verdicts into a file. */
import type { DownloadFormat, ResultColumn, ResultSort, ResultStatus, SubStatus } from "@mailvet/contract";
import { type DownloadChoice, MailvetUnreachable } from "@mailvet/sdk";
import { type OutOptions, openResultsFile, resultsName, resultsPath } from "../list-file/results-file.ts";
import type { RemoteService } from "../remote/service.ts";

export type DownloadOptions = OutOptions & {
  format: DownloadFormat;
  only?: "safe";
  status?: ResultStatus[];
  subStatus?: SubStatus[];
  minScore?: number;
  maxScore?: number;
  provider?: string;
  domain?: string;
  search?: string;
  sort?: ResultSort;
  columns?: ("email" | ResultColumn)[];
  excel?: true;
};

/** What the file contains, for its name. */
export const contentOf = ({ only, status }: DownloadOptions) => only ?? status?.join("-") ?? "results";

function choiceOf(options: DownloadOptions): DownloadChoice {
  const {
    format,
    only,
    status,
    subStatus,
    minScore,
    maxScore,
    provider,
    domain,
    search,
    sort,
    columns,
    excel,
  } = options;
  return {
    format,
    ...(only && { safeToSend: true }),
    status,
    subStatus,
    minScore,
    maxScore,
    provider,
    domain,
    q: search,
    sort,
    columns,
    ...(excel && { dialect: "excel" }),
  };
}

/** A broken download is started again this often. */
const MAX_ATTEMPTS = 4;

export async function downloadJob(
  service: RemoteService,
  jobId: string,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<void> {
  const { filename } = await service.client.jobs.get(jobId, { signal });
  const resolved = {
    ...options,
    out: options.out ?? resultsName(filename, options.format, contentOf(options)),
  };
  const path = await resultsPath(undefined, resolved, options.format);
  await fetchResults(service, jobId, path, resolved, signal);
}

export async function fetchResults(
  { client }: RemoteService,
  jobId: string,
  path: string,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await using file = await openResultsFile(path, options.force ? { force: options.force } : {});
    let isStarted = false;
    try {
      const { body } = await client.jobs.download(jobId, choiceOf(options), { signal });
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
