/** What these pages ask the service for, each under one name. */
import type { JobStatus, Status } from "@mailvet/contract";
import { queryOptions } from "@tanstack/react-query";
import { service } from "../../queries.ts";

export const JOBS_PER_PAGE = 10;
/** The most that the service gives at once. */
export const RESULTS_PER_PAGE = 100;

/** Of lists with a job under way. */
const REFRESH_MS = 2_000;
/** Results of a job that has ended stay as they are. */
const RESULTS_STALE_MS = 60 * 60_000;

/** Every page of the list begins with this. */
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

export const resultsQuery = (jobId: string, status: Status | undefined, page: number) =>
  queryOptions({
    queryKey: ["job-results", jobId, status ?? "all", page],
    queryFn: ({ signal }) =>
      service.jobs.results(
        jobId,
        { skip: page * RESULTS_PER_PAGE, limit: RESULTS_PER_PAGE, status },
        { signal },
      ),
    staleTime: RESULTS_STALE_MS,
  });

const ENDS: ReadonlySet<JobStatus> = new Set(["completed", "failed", "cancelled"]);

export function hasEnded({ status }: { status: JobStatus }): boolean {
  return ENDS.has(status);
}

/** Changes by itself. A paused one waits for its owner. */
export function isActive({ status }: { status: JobStatus }): boolean {
  return status === "queued" || status === "processing";
}
