/**
 * A job's results by their place in the list, fetched a page at a time as they come into sight.
 *
 * Pages that fly by while somebody scrolls far are not asked for; pages that were seen are kept.
 */
import type { JobResult, Status } from "@mailvet/contract";
import { useThrottledValue } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import { queries } from "../../queries.ts";
import { RESULTS_PER_PAGE, resultsQuery } from "../bulk/job-queries.ts";

/** What a row of the table shows. */
export type ShownResult = Pick<
  JobResult,
  "row" | "email" | "status" | "sub_status" | "score" | "suggestion" | "is_duplicate"
>;

export type ResultPages = {
  /** Undefined while it is being fetched. */
  at: (index: number) => ShownResult | undefined;
  error: unknown;
  again: () => void;
};

/** How long a place must stay in sight to be fetched. */
const SETTLE_MS = 200;

/** `first` is the first place in sight; a page holds more than fits on a screen, so the next one is the furthest needed. */
export function useResultPages(
  jobId: string,
  status: Status | undefined,
  total: number,
  first: number,
): ResultPages {
  const page = useThrottledValue(Math.floor(first / RESULTS_PER_PAGE), SETTLE_MS);
  const pages = [page, page + 1].filter((number) => number * RESULTS_PER_PAGE < total);
  const answers = useQueries({ queries: pages.map((number) => resultsQuery(jobId, status, number)) });
  const inSight = new Map(pages.map((number, n) => [number, answers[n]?.data]));
  const failed = answers.filter(({ error }) => error !== null);
  return {
    at(index) {
      const number = Math.floor(index / RESULTS_PER_PAGE);
      const data = inSight.get(number) ?? queries.getQueryData(resultsQuery(jobId, status, number).queryKey);
      return data?.items[index % RESULTS_PER_PAGE];
    },
    error: failed[0]?.error ?? undefined,
    again() {
      for (const { refetch } of failed) void refetch();
    },
  };
}
