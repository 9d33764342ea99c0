/** One job: how it goes while it runs, and what came of it. */
import type { Job, Status } from "@mailvet/contract";
import { MailvetProblem } from "@mailvet/sdk";
import { Alert, Anchor, Button, Grid, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { counted } from "../../parts/counted.ts";
import { EmptyNote } from "../../parts/empty-note.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { Moment } from "../../parts/moment.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { aboutQuery } from "../../queries.ts";
import { JobActions, MOVE_UNDER_WAY, useJobMove } from "./job-actions.tsx";
import { JobDownloads } from "./job-downloads.tsx";
import { useJobNews } from "./job-news.ts";
import { JobProgress } from "./job-progress.tsx";
import { hasEnded, jobQuery } from "./job-queries.ts";
import { ResultsSection } from "./results-section.tsx";
import { SubStatusBars } from "./sub-status-bars.tsx";
import { VerdictShares } from "./verdict-shares.tsx";

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
        <FailureNote error={error} onRetry={() => void refetch()} title="The job could not be fetched" />
      ) : (
        <Waiting lines={6} />
      )}
    </>
  );
}

function JobView({ job }: { job: Job }) {
  const { status }: Record<string, string | undefined> = useSearch({ strict: false });
  const news = useJobNews(job.id, !hasEnded(job));
  const move = useJobMove(job.id);
  const underWay = move.isPending ? MOVE_UNDER_WAY[move.variables] : undefined;
  const isReadable = hasEnded(job) && job.results_url !== null;
  return (
    <>
      <PageTitle
        title={job.filename}
        actions={
          <Group gap="xs">
            {isReadable && <JobDownloads job={job} />}
            <JobActions job={job} move={move} />
          </Group>
        }
      >
        Column “{job.email_column}”, started <Moment at={job.created_at} />.
      </PageTitle>
      <Stack gap="lg">
        {move.error && move.variables !== "cancel" && <FailureNote error={move.error} />}
        {job.error && (
          <Alert color="red" title={job.error.title} role="alert">
            <Text size="sm">{job.error.detail}</Text>
          </Alert>
        )}
        {news.error !== undefined && !hasEnded(job) && (
          <FailureNote
            title="Progress is not shown live at the moment"
            error={news.error}
            onRetry={news.again}
          />
        )}
        <JobProgress job={job} instead={underWay} />
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 4 }}>
            <VerdictShares job={job} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 8 }}>
            <SubStatusBars job={job} />
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
      <EmptyNote title="Results come when the job has ended">
        Then you can look through every row here, and download the file with its verdicts.
        {about && ` They are kept for ${counted(about.retention_days, "day")}.`}
      </EmptyNote>
    );
  }
  if (job.expires_at === null || Date.parse(job.expires_at) > Date.now()) {
    return <EmptyNote title="There are no results">The counts above are all that is known.</EmptyNote>;
  }
  return (
    <EmptyNote title="The results have been erased">
      They were kept until <Moment at={job.expires_at} />. The counts above stay.
    </EmptyNote>
  );
}

function NoSuchJob() {
  return (
    <>
      <PageTitle title="There is no such job" />
      <EmptyNote
        title="It may have been deleted"
        action={
          <Button component={Link} to="/bulk" variant="default">
            To the list of jobs
          </Button>
        }
      >
        Or it belongs to another account, or the link is mistyped.
      </EmptyNote>
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
