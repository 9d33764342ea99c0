/** Queries of the operator pages. */
import type { AccountSort, AccountState, SortOrder } from "@mailvet/contract";
import type { OperatorJobsQuery } from "@mailvet/sdk";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { accountQuery, queries, service } from "../../queries.ts";

const ACCOUNTS = ["operator", "accounts"] as const;
export const ACCOUNTS_PER_PAGE = 25;
const REFRESH_MS = 5000;
const ERASING_REFRESH_MS = 1000;

export type AccountsShown = {
  search: string;
  state: AccountState | undefined;
  sort: AccountSort;
  order: SortOrder;
  /** The page begins after this account. */
  after: string | undefined;
};

export const accountsQuery = ({ search, ...shown }: AccountsShown) =>
  queryOptions({
    queryKey: [...ACCOUNTS, "list", search, shown],
    queryFn: () =>
      service.operator.accounts({ ...shown, limit: ACCOUNTS_PER_PAGE, search: search || undefined }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ state }) => state === "erasing") ? ERASING_REFRESH_MS : false,
  });

export const oneAccountQuery = (accountId: string) =>
  queryOptions({ queryKey: [...ACCOUNTS, accountId], queryFn: () => service.operator.account(accountId) });

export const keysOfQuery = (accountId: string) =>
  queryOptions({
    queryKey: [...ACCOUNTS, accountId, "keys"],
    queryFn: () => service.operator.keysOf(accountId),
  });

const LEDGER_ENTRIES_SHOWN = 10;

export const ledgerOfQuery = (accountId: string) =>
  queryOptions({
    queryKey: [...ACCOUNTS, accountId, "ledger"],
    queryFn: () => service.operator.creditsOf(accountId, { limit: LEDGER_ENTRIES_SHOWN }),
  });

const JOBS = ["operator", "jobs"] as const;
export const JOBS_PER_PAGE = 25;

export const allJobsQuery = (shown: OperatorJobsQuery) =>
  queryOptions({
    queryKey: [...JOBS, shown],
    queryFn: () => service.operator.jobs({ limit: JOBS_PER_PAGE, ...shown }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const jobsChanged = () => queries.invalidateQueries({ queryKey: JOBS });

/** Also refreshes the operator's own account, which may be the changed one. */
export async function accountsChanged(): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ACCOUNTS }),
    jobsChanged(),
    queries.invalidateQueries({ queryKey: accountQuery.queryKey }),
  ]);
}

/** React Query stops the refresh while the browser tab is hidden. */
export const systemQuery = queryOptions({
  queryKey: ["operator", "system"],
  queryFn: () => service.operator.system(),
  refetchInterval: REFRESH_MS,
});

const MOST_LETTERS_SHOWN = 20;

export const deadLettersQuery = queryOptions({
  queryKey: ["operator", "dead-letters"],
  queryFn: () => service.operator.deadLetters({ limit: MOST_LETTERS_SHOWN }),
  refetchInterval: REFRESH_MS,
});
