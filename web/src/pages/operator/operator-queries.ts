/** What only the operator may ask. */
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

/** It may have been one's own. */
export async function accountsChanged(): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ACCOUNTS }),
    queries.invalidateQueries({ queryKey: accountQuery.queryKey }),
  ]);
}

const LOOK_EVERY_MS = 5000;

/** Only while somebody looks: a page in the background does not ask. */
export const systemQuery = queryOptions({
  queryKey: ["operator", "system"],
  queryFn: () => service.operator.system(),
  refetchInterval: LOOK_EVERY_MS,
});
