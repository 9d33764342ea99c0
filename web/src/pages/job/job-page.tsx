/** One job: how it goes while it runs, and what came of it. */
import type { Job, Status } from "@mailvet/contract";
import { MailvetProblem } from "@mailvet/sdk";
import { Alert, Anchor, Button, Grid, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { aboutQuery } from "../../queries.ts";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { plural } from "../../shared/number-format.ts";
import { PageHeader } from "../../shared/page-header.tsx";
import { Timestamp } from "../../shared/timestamp.tsx";
import { hasEnded, jobQuery } from "../bulk/job-queries.ts";
import { JobActions, MOVE_UNDER_WAY, useJobTransition } from "./job-actions.tsx";
import { JobDownloads } from "./job-downloads.tsx";
import { JobProgress } from "./job-progress.tsx";
import { ResultsSection } from "./results-section.tsx";
import { SubStatusBreakdown } from "./sub-status-breakdown.tsx";
import { useJobEvents } from "./use-job-events.ts";
import { VerdictBreakdown } from "./verdict-breakdown.tsx";

export function Page() {
  const { jobId = "" } = useParams({ strict: false });
  const { data: job, error, refetch } = useQuery(jobQuery(jobId));
  return (
    <>
      <Anchor component={Link} to="/bulk" size="sm" display="inline-block" mb="sm">
        ← All jobs
      </Anchor>
      {isMissing(error) ? (
        <NoSuchJob />
      ) : job ? (
        <JobView key={job.id} job={job} />
      ) : error ? (
        <ErrorAlert error={error} onRetry={() => void refetch()} title="The job could not be fetched" />
      ) : (
        <Loading lines={6} />
      )}
    </>
  );
}

function JobView({ job }: { job: Job }) {
  const { status }: Record<string, string | undefined> = useSearch({ strict: false });
  const news = useJobEvents(job.id, !hasEnded(job));
  const move = useJobTransition(job.id);
  const underWay = move.isPending ? MOVE_UNDER_WAY[move.variables] : undefined;
  const isReadable = hasEnded(job) && job.results_url !== null;
  return (
    <>
      <PageHeader
        title={job.filename}
        actions={
          <Group gap="xs">
            {isReadable && <JobDownloads job={job} />}
            <JobActions job={job} move={move} />
          </Group>
        }
      >
        Column “{job.email_column}”, started <Timestamp at={job.created_at} />.
      </PageHeader>
      <Stack gap="lg">
        {move.error && move.variables !== "cancel" && <ErrorAlert error={move.error} />}
        {job.error && (
          <Alert color="red" title={job.error.title} role="alert">
            <Text size="sm">{job.error.detail}</Text>
          </Alert>
        )}
        {news.error !== undefined && !hasEnded(job) && (
          <ErrorAlert
            title="Progress is not shown live at the moment"
            error={news.error}
            onRetry={news.again}
          />
        )}
        <JobProgress job={job} instead={underWay} />
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 4 }}>
            <VerdictBreakdown job={job} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 8 }}>
            <SubStatusBreakdown job={job} />
          </Grid.Col>
        </Grid>
        {isReadable ? (
          <ResultsSection job={job} status={isStatus(status) ? status : undefined} />
        ) : (
          <NoResults job={job} />
        )}
      </Stack>
    </>
  );
}

function NoResults({ job }: { job: Job }) {
  const { data: about } = useQuery(aboutQuery);
  if (!hasEnded(job)) {
    return (
      <EmptyState title="Results come when the job has ended">
        Then you can look through every row here, and download the file with its verdicts.
        {about && ` They are kept for ${plural(about.retention_days, "day")}.`}
      </EmptyState>
    );
  }
  if (job.expires_at === null || Date.parse(job.expires_at) > Date.now()) {
    return <EmptyState title="There are no results">The counts above are all that is known.</EmptyState>;
  }
  return (
    <EmptyState title="The results have been erased">
      They were kept until <Timestamp at={job.expires_at} />. The counts above stay.
    </EmptyState>
  );
}

function NoSuchJob() {
  return (
    <>
      <PageHeader title="There is no such job" />
      <EmptyState
        title="It may have been deleted"
        action={
          <Button component={Link} to="/bulk" variant="default">
            To the list of jobs
          </Button>
        }
      >
        Or it belongs to another account, or the link is mistyped.
      </EmptyState>
    </>
  );
}

/** What is no id at all cannot be found either. */
function isMissing(error: unknown): boolean {
  return error instanceof MailvetProblem && (error.status === 404 || error.code === "validation_failed");
}

const STATUSES: readonly string[] = ["valid", "invalid", "risky", "unknown"] satisfies Status[];

function isStatus(text: string | undefined): text is Status {
  return text !== undefined && STATUSES.includes(text);
}
