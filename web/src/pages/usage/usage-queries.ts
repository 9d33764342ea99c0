/** Queries for usage and the ledger. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { service } from "../../queries.ts";
import { daysBack } from "./usage-days.ts";

export const usageQuery = (days: number) =>
  queryOptions({
    queryKey: ["usage", days],
    queryFn: () => service.usage({ from: daysBack(new Date(), days - 1) }),
    placeholderData: keepPreviousData,
  });

export const LEDGER_PAGE_SIZE = 20;

export const ledgerQuery = (page: number) =>
  queryOptions({
    queryKey: ["credits", page],
    queryFn: () => service.credits({ skip: (page - 1) * LEDGER_PAGE_SIZE, limit: LEDGER_PAGE_SIZE }),
    placeholderData: keepPreviousData,
  });

const MAX_JOBS = 100;

/** File names of the latest jobs by id, for the ledger. */
export const jobNamesQuery = queryOptions({
  queryKey: ["jobs", "names"],
  async queryFn() {
    const { items } = await service.jobs.list({ limit: MAX_JOBS });
    return new Map(items.map(({ id, filename }) => [id, filename]));
  },
});
