/** Accounts of the installation: search, filter, sort, open. */

import type { AccountSort, SortOrder } from "@mailvet/contract";
import { Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { TableLoading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useTypedText } from "../../components/typed-text.ts";
import { isAccountState, STATE_OPTIONS } from "./account-state.tsx";
import { AccountTable } from "./account-table.tsx";
import { KeysetPager } from "./keyset-pager.tsx";
import { messages } from "./messages.tsx";
import { OperatorOnly } from "./operator-only.tsx";
import { ACCOUNTS_PER_PAGE, accountsQuery } from "./operator-queries.ts";

const OpenAccount = lazy(async () => ({ default: (await import("./open-account.tsx")).OpenAccount }));

export function Page() {
  return (
    <OperatorOnly title={messages.accounts.title}>
      <Accounts />
    </OperatorOnly>
  );
}

const SORTS: readonly string[] = [
  "created",
  "email",
  "plan",
  "credits",
  "used",
  "last_seen",
] satisfies AccountSort[];

function Accounts() {
  const found = useSearch({ strict: false });
  const { search = "", after } = found;
  const state = isAccountState(found.state) ? found.state : undefined;
  const sort = (found.sort && SORTS.includes(found.sort) ? found.sort : "created") as AccountSort;
  const order: SortOrder = found.order === "asc" ? "asc" : "desc";
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(accountsQuery({ search, state, sort, order, after }));
  const [isOpening, setIsOpening] = useState(false);
  const shown = {
    ...(search && { search }),
    ...(state && { state }),
    ...(sort !== "created" && { sort }),
    ...(order !== "desc" && { order }),
  };
  const show = (next: Record<string, string>, replace = false) =>
    void navigate({ to: "/operator/accounts", search: next, replace, resetScroll: false });
  const [typed, type] = useTypedText(search, (text) => {
    const { search: _, ...rest } = shown;
    show(text ? { ...rest, search: text } : rest, true);
  });
  return (
    <>
      <PageHeader
        title={messages.accounts.title}
        actions={<Button onClick={() => setIsOpening(true)}>{messages.open.button}</Button>}
      >
        <span role="status">{data ? messages.accounts.total(data.total) : messages.accounts.intro}</span>
      </PageHeader>
      <Stack gap="md">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={messages.accounts.search}
            placeholder={messages.accounts.searchHint}
            type="search"
            style={{ flex: 1, maxWidth: 360, minWidth: 200 }}
            maxLength={254}
            value={typed}
            onChange={({ currentTarget: { value } }) => type(value)}
          />
          <NativeSelect
            label={messages.accounts.state}
            data={[{ value: "", label: messages.accounts.allStates }, ...STATE_OPTIONS]}
            value={state ?? ""}
            onChange={({ currentTarget: { value } }) => {
              const { state: _, ...rest } = shown;
              show(value ? { ...rest, state: value } : rest);
            }}
          />
        </Group>
        {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
        {!data && !error && <TableLoading rows={10} />}
        {data?.items.length === 0 && (
          <EmptyState title={messages.accounts.none}>
            {search ? messages.accounts.noneText(search) : undefined}
          </EmptyState>
        )}
        {data && data.items.length > 0 && (
          <AccountTable
            accounts={data.items}
            sort={sort}
            order={order}
            onSort={(nextSort, nextOrder) => {
              const { sort: _, order: __, ...rest } = shown;
              show({ ...rest, sort: nextSort, order: nextOrder });
            }}
          />
        )}
        {data && (
          <KeysetPager
            after={after}
            next={data.items.length === ACCOUNTS_PER_PAGE ? data.items.at(-1)?.id : undefined}
            onPage={(position) => show(position ? { ...shown, after: position } : shown)}
          />
        )}
      </Stack>
      {isOpening && (
        <Suspense>
          <OpenAccount onClose={() => setIsOpening(false)} />
        </Suspense>
      )}
    </>
  );
}
