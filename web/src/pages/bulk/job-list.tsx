/** Jobs of the account, newest first, paginated. */
import type { JobStatus } from "@mailvet/contract";
import { Button, Group, NativeSelect, Stack, Title } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { TableLoading } from "../../components/loading.tsx";
import { Pager } from "../../components/pager.tsx";
import { JOBS_PER_PAGE, jobsQuery } from "./job-queries.ts";
import { isJobStatus, JOB_STATUS_OPTIONS } from "./job-status-badge.tsx";
import { JobTable } from "./job-table.tsx";
import { messages } from "./messages.tsx";

export function JobList({ page, status, onChooseFile }: JobListProps) {
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({
    ...jobsQuery(page, status),
    placeholderData: keepPreviousData,
  });
  const show = (wanted: number, state: JobStatus | undefined) =>
    navigate({
      to: "/bulk",
      search: ({ page: _, status: __, ...rest }) => ({
        ...rest,
        ...(wanted > 1 && { page: String(wanted) }),
        ...(state && { status: state }),
      }),
      resetScroll: false,
    });
  return (
    <Stack component="section" aria-labelledby="jobs-title">
      <Group justify="space-between">
        <Title order={2} size="h4" id="jobs-title">
          {messages.jobs.title}
        </Title>
        {(status !== undefined || (data?.total ?? 0) > 0) && (
          <NativeSelect
            aria-label={messages.jobs.filter}
            data={[{ value: "", label: messages.jobs.allStatuses }, ...JOB_STATUS_OPTIONS]}
            value={status ?? ""}
            onChange={({ currentTarget: { value } }) => void show(1, isJobStatus(value) ? value : undefined)}
          />
        )}
      </Group>
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} title={messages.jobs.failed} />}
      {!data && !error && <TableLoading />}
      {data?.items.length === 0 && (
        <NoJobs status={status} onChooseFile={onChooseFile} onAll={() => void show(1, undefined)} />
      )}
      {data && data.items.length > 0 && <JobTable jobs={data.items} label={messages.jobs.title} />}
      <Pager
        page={page}
        pageSize={JOBS_PER_PAGE}
        total={data?.total ?? 0}
        onPage={(next) => void show(next, status)}
      />
    </Stack>
  );
}

type JobListProps = {
  page: number;
  status: JobStatus | undefined;
  /** Moves to the upload. */
  onChooseFile: () => void;
};

function NoJobs({
  status,
  onChooseFile,
  onAll,
}: Pick<JobListProps, "status" | "onChooseFile"> & { onAll: () => void }) {
  if (status !== undefined) {
    return (
      <EmptyState
        title={messages.jobs.noneWithStatus}
        action={
          <Button variant="default" onClick={onAll}>
            {messages.jobs.showAll}
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState
      title={messages.jobs.none}
      action={
        <Button variant="default" onClick={onChooseFile}>
          {messages.upload.choose}
        </Button>
      }
    >
      {messages.jobs.noneText}
    </EmptyState>
  );
}
