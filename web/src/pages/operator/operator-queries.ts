/** Queries of the operator pages. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { accountQuery, queries, service } from "../../queries.ts";

const ACCOUNTS = ["operator", "accounts"] as const;
export const ACCOUNTS_PER_PAGE = 25;

export const accountsQuery = ({ page, search }: { page: number; search: string }) =>
  queryOptions({
    queryKey: [...ACCOUNTS, "list", page, search],
    queryFn: () =>
      service.operator.accounts({
        skip: (page - 1) * ACCOUNTS_PER_PAGE,
        limit: ACCOUNTS_PER_PAGE,
        search: search || undefined,
      }),
    placeholderData: keepPreviousData,
  });

export const oneAccountQuery = (accountId: string) =>
  queryOptions({ queryKey: [...ACCOUNTS, accountId], queryFn: () => service.operator.account(accountId) });

/** Also refreshes the operator's own account, which may be the changed one. */
export async function accountsChanged(): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ACCOUNTS }),
    queries.invalidateQueries({ queryKey: accountQuery.queryKey }),
  ]);
}

const REFRESH_MS = 5000;

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
