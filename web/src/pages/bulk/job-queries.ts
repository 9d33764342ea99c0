/** Queries for jobs and their results. */
import type { Job, JobResult, JobStatus } from "@mailvet/contract";
import type { Page } from "@mailvet/sdk";
import { queryOptions } from "@tanstack/react-query";
import { service } from "../../queries.ts";
import { choiceOf, type FilterText } from "../job/result-filter.ts";

export const JOBS_PER_PAGE = 10;
/** Maximum of the API. */
export const RESULTS_PER_PAGE = 100;

/** While the list contains an active job. */
const REFRESH_MS = 2_000;
/** Results of a finished job do not change. */
const RESULTS_STALE_MS = 60 * 60_000;

/** Common prefix of all job list queries. */
export const JOBS_KEY = ["jobs"] as const;

export const jobsQuery = (page: number, status: JobStatus | undefined) =>
  queryOptions({
    queryKey: [...JOBS_KEY, "page", page, status ?? "all"],
    queryFn: ({ signal }) =>
      service.jobs.list({ skip: (page - 1) * JOBS_PER_PAGE, limit: JOBS_PER_PAGE, status }, { signal }),
    refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? REFRESH_MS : false),
  });

export const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: ["job", jobId],
    queryFn: ({ signal }) => service.jobs.get(jobId, { signal }),
  });

/** While the job runs, results that are shown are read again when its counts, which its event stream brings, have changed. */
export const resultsQuery = (job: Job, filter: FilterText, page: number) =>
  queryOptions({
    queryKey: ["job-results", job.id, filter, hasEnded(job), page],
    queryFn: async ({ signal }): Promise<Page<JobResult> & { counts: string }> => {
      const bounds = { skip: page * RESULTS_PER_PAGE, limit: RESULTS_PER_PAGE };
      const found = await service.jobs.results(job.id, { ...bounds, ...choiceOf(filter) }, { signal });
      return { ...found, counts: countsOf(job) };
    },
    staleTime: hasEnded(job) ? RESULTS_STALE_MS : 0,
    refetchInterval: ({ state }) =>
      isActive(job) && state.data?.counts !== countsOf(job) ? REFRESH_MS : false,
  });

const countsOf = ({ attempt, phase, processed, sub_status_counts, retrying }: Job) =>
  JSON.stringify([attempt, phase, processed, sub_status_counts, retrying]);

export const resultQuery = (jobId: string, row: string) =>
  queryOptions({
    queryKey: ["job-results", jobId, "row", row],
    queryFn: ({ signal }) => service.jobs.result(jobId, Number(row), { signal }),
    staleTime: RESULTS_STALE_MS,
    retry: false,
  });

const FINAL: ReadonlySet<JobStatus> = new Set(["completed", "failed", "cancelled"]);

export function hasEnded({ status }: { status: JobStatus }): boolean {
  return FINAL.has(status);
}

/** Deleted while it ran: it has expired when it ends, and is gone when its rows are deleted. */
export function isBeingDeleted({ completed_at, expires_at }: Job): boolean {
  return completed_at !== null && expires_at !== null && Date.parse(expires_at) <= Date.parse(completed_at);
}

/** Changes without user action, unlike a paused job. */
export function isActive({ status }: { status: JobStatus }): boolean {
  return status === "queued" || status === "processing";
}
