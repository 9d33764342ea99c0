/** All jobs of the account, newest first, a page at a time. */
import type { JobStatus } from "@mailvet/contract";
import { Button, Group, NativeSelect, Paper, Stack, Title } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { Pager } from "../../shared/pager.tsx";
import { JOBS_PER_PAGE, jobsQuery } from "./job-queries.ts";
import { JobRow } from "./job-row.tsx";
import { isJobStatus, JOB_STATUS_OPTIONS } from "./job-status-badge.tsx";

export function JobList({ page, status, onFirst }: JobListProps) {
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
          Jobs
        </Title>
        {(status !== undefined || (data?.total ?? 0) > 0) && (
          <NativeSelect
            aria-label="Which jobs to show"
            data={[{ value: "", label: "All states" }, ...JOB_STATUS_OPTIONS]}
            value={status ?? ""}
            onChange={({ currentTarget: { value } }) => void show(1, isJobStatus(value) ? value : undefined)}
          />
        )}
      </Group>
      {error && (
        <ErrorAlert error={error} onRetry={() => void refetch()} title="The jobs could not be fetched" />
      )}
      {!data && !error && <Loading />}
      {data?.items.length === 0 && (
        <NoJobs status={status} onFirst={onFirst} onAll={() => void show(1, undefined)} />
      )}
      {data && data.items.length > 0 && (
        <Paper withBorder radius="md" component="ul" className="plain-list ruled">
          {data.items.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </Paper>
      )}
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
  /** Leads to where the first file is chosen. */
  onFirst: () => void;
};

function NoJobs({
  status,
  onFirst,
  onAll,
}: Pick<JobListProps, "status" | "onFirst"> & { onAll: () => void }) {
  if (status !== undefined) {
    return (
      <EmptyState
        title="No jobs in this state"
        action={
          <Button variant="default" onClick={onAll}>
            Show all jobs
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState
      title="No jobs yet"
      action={
        <Button variant="default" onClick={onFirst}>
          Choose a file
        </Button>
      }
    >
      Every list that you validate is kept here with its results, until they expire.
    </EmptyState>
  );
}
