/** Accounts of the installation, with search. */

import { Stack, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Pager, parsePage } from "../../components/pager.tsx";
import { AccountList } from "./account-list.tsx";
import { ManageAccount } from "./manage-account.tsx";
import { messages } from "./messages.tsx";
import { OperatorOnly } from "./operator-only.tsx";
import { ACCOUNTS_PER_PAGE, accountsQuery } from "./operator-queries.ts";

export function Page() {
  return (
    <OperatorOnly title={messages.accounts.title}>
      <Accounts />
    </OperatorOnly>
  );
}

const TYPING_PAUSE_MS = 300;

function Accounts() {
  const { search = "", page: pageText, account } = useSearch({ strict: false });
  const page = parsePage(pageText);
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(accountsQuery({ page, search }));
  const [typed, setTyped] = useState(search);
  const look = useDebouncedCallback(
    (text: string) =>
      void navigate({ to: "/operator/accounts", search: text ? { search: text } : {}, replace: true }),
    TYPING_PAUSE_MS,
  );
  const here = { ...(search ? { search } : {}), ...(page > 1 ? { page: String(page) } : {}) };
  const show = (next: Record<string, string>) =>
    void navigate({ to: "/operator/accounts", search: next, resetScroll: false });
  return (
    <>
      <PageHeader title={messages.accounts.title}>
        <span role="status">{data ? messages.accounts.total(data.total) : messages.accounts.intro}</span>
      </PageHeader>
      <Stack gap="lg">
        <TextInput
          label={messages.accounts.search}
          placeholder={messages.accounts.searchHint}
          type="search"
          maw={360}
          maxLength={254}
          value={typed}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            look(value.trim());
          }}
        />
        {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading lines={6} />}
        {data?.items.length === 0 && (
          <EmptyState title={messages.accounts.none}>
            {search ? messages.accounts.noneText(search) : undefined}
          </EmptyState>
        )}
        {data && data.items.length > 0 && (
          <AccountList accounts={data.items} onManage={({ id }) => show({ ...here, account: id })} />
        )}
        {data && (
          <Pager
            page={page}
            pageSize={ACCOUNTS_PER_PAGE}
            total={data.total}
            onPage={(next) => show({ ...here, page: String(next) })}
          />
        )}
      </Stack>
      {account && <ManageAccount accountId={account} onClose={() => show(here)} />}
    </>
  );
}
