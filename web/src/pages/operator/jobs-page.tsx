/** Jobs of all accounts, by status or account. */

import { Anchor, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { TableLoading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { isJobStatus, JOB_STATUS_OPTIONS } from "../bulk/job-status-badge.tsx";
import { KeysetPager } from "./keyset-pager.tsx";
import { messages } from "./messages.tsx";
import { OperatorJobTable } from "./operator-job-table.tsx";
import { OperatorOnly } from "./operator-only.tsx";
import { allJobsQuery, JOBS_PER_PAGE } from "./operator-queries.ts";

const texts = messages.jobs;

export function Page() {
  return (
    <OperatorOnly title={texts.title}>
      <Jobs />
    </OperatorOnly>
  );
}

function Jobs() {
  const { status: statusText, account, after } = useSearch({ strict: false });
  const status = isJobStatus(statusText) ? statusText : undefined;
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(allJobsQuery({ status, accountId: account, after }));
  const shown = { ...(status && { status }), ...(account && { account }) };
  const show = (next: Record<string, string>) =>
    void navigate({ to: "/operator/jobs", search: next, resetScroll: false });
  return (
    <>
      <PageHeader title={texts.title}>{texts.intro}</PageHeader>
      <Stack gap="md">
        <Group align="flex-end" gap="md">
          <NativeSelect
            label={texts.status}
            data={[{ value: "", label: texts.allStatuses }, ...JOB_STATUS_OPTIONS]}
            value={status ?? ""}
            onChange={({ currentTarget: { value } }) => {
              const { status: _, ...rest } = shown;
              show(value ? { ...rest, status: value } : rest);
            }}
          />
          {account && (
            <Text size="sm" pb={8}>
              {texts.ofAccount(data?.[0]?.account_email)}{" "}
              <Anchor inherit component={Link} to="/operator/jobs">
                {texts.allAccounts}
              </Anchor>
            </Text>
          )}
        </Group>
        {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
        {!data && !error && <TableLoading rows={10} />}
        {data?.length === 0 && <EmptyState title={texts.none} />}
        {data && data.length > 0 && <OperatorJobTable jobs={data} withAccount />}
        {data && (
          <KeysetPager
            after={after}
            next={data.length === JOBS_PER_PAGE ? data.at(-1)?.id : undefined}
            onPage={(position) => show(position ? { ...shown, after: position } : shown)}
          />
        )}
      </Stack>
    </>
  );
}
