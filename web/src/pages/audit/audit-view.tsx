/** Filters, table and export of the audit log: of the account, or of the installation. */

import { Button, Group, Stack } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { TableLoading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { AuditFilterInputs } from "./audit-filter-inputs.tsx";
import { type AuditScope, auditQuery, exportPath, filtersIn } from "./audit-queries.ts";
import { AuditTable } from "./audit-table.tsx";
import { messages } from "./messages.tsx";

const PATHS = { account: "/audit", installation: "/operator/audit" } as const;

export function AuditView({ scope }: { scope: AuditScope }) {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const filters = filtersIn(search);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    auditQuery(scope, filters),
  );
  const entries = data?.pages.flat() ?? [];
  return (
    <>
      <PageHeader
        title={scope === "account" ? messages.title : messages.operatorTitle}
        actions={
          <Button component="a" variant="default" href={exportPath(scope, filters)} download>
            {messages.export}
          </Button>
        }
      >
        {scope === "account" ? messages.intro : messages.operatorIntro}
      </PageHeader>
      <Stack gap="lg">
        <AuditFilterInputs
          scope={scope}
          search={search}
          onChange={(next) => void navigate({ to: PATHS[scope], search: next, replace: true })}
        />
        {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
        {!data && !error && <TableLoading rows={12} />}
        {data && entries.length === 0 && <EmptyState title={messages.none}>{messages.noneText}</EmptyState>}
        {entries.length > 0 && <AuditTable entries={entries} scope={scope} />}
        {hasNextPage && (
          <Group justify="center">
            <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {messages.more}
            </Button>
          </Group>
        )}
      </Stack>
    </>
  );
}
