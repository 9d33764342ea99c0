/**
 * Results of a job by index, fetched page by page as they scroll into view.
 *
 * Pages that are only scrolled past are not fetched. Fetched pages stay in the query cache.
 */
import type { Job, JobResult } from "@mailvet/contract";
import { useThrottledValue } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import { queries } from "../../queries.ts";
import { RESULTS_PER_PAGE, resultsQuery } from "../bulk/job-queries.ts";
import type { FilterText } from "./result-filter.ts";

/** Fields shown in a row of the table. */
export type ShownResult = Pick<
  JobResult,
  | "row"
  | "cell"
  | "email"
  | "status"
  | "sub_status"
  | "score"
  | "suggestion"
  | "is_duplicate"
  | "previous_status"
>;

export type ResultPages = {
  /** Undefined while loading. */
  at: (index: number) => ShownResult | undefined;
  error: unknown;
  retry: () => void;
};

/** How long an index must be visible before its page is fetched. */
const SETTLE_MS = 200;

/** `first` is the first visible index. A page is longer than any screen, so at most the next page is needed too. */
export function useResultPages(job: Job, filter: FilterText, total: number, first: number): ResultPages {
  const page = useThrottledValue(Math.floor(first / RESULTS_PER_PAGE), SETTLE_MS);
  const pages = [page, page + 1].filter((number) => number * RESULTS_PER_PAGE < total);
  const loaded = useQueries({ queries: pages.map((number) => resultsQuery(job, filter, number)) });
  const visible = new Map(pages.map((number, n) => [number, loaded[n]?.data]));
  const failed = loaded.filter(({ error }) => error !== null);
  return {
    at(index) {
      const number = Math.floor(index / RESULTS_PER_PAGE);
      const data = visible.get(number) ?? queries.getQueryData(resultsQuery(job, filter, number).queryKey);
      return data?.items[index % RESULTS_PER_PAGE];
    },
    error: failed[0]?.error ?? undefined,
    retry() {
      for (const { refetch } of failed) void refetch();
    },
  };
}
