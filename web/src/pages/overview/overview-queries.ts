/** Query for the latest jobs; refetches while one is active. */
import { queryOptions } from "@tanstack/react-query";
import { service } from "../../queries.ts";
import { isActive } from "../bulk/job-queries.ts";

const RECENT = 5;
const REFRESH_MS = 3000;

export const recentJobsQuery = queryOptions({
  queryKey: ["jobs", "recent"],
  queryFn: () => service.jobs.list({ limit: RECENT }),
  refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? REFRESH_MS : false),
});
