/** One job: progress, verdicts, results. */

import type { Job } from "@mailvet/contract";
import { Alert, Anchor, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { BlockLoading } from "../../components/loading.tsx";
import { isMissing, MissingItem } from "../../components/missing-item.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { hasEnded, isBeingDeleted, jobQuery } from "../bulk/job-queries.ts";
import { SaveAsList } from "../lists/save-as-list.tsx";
import { JobActions, useJobTransition } from "./job-actions.tsx";
import { JobDownloads } from "./job-downloads.tsx";
import { JobProgress } from "./job-progress.tsx";
import { messages } from "./messages.tsx";
import { RecheckButton } from "./recheck-dialog.tsx";
import { filterIn } from "./result-filter.ts";
import { ResultsSection } from "./results-section.tsx";
import { SubStatusBreakdown } from "./sub-status-breakdown.tsx";
import { useJobEvents } from "./use-job-events.ts";

const RowStory = lazy(async () => ({ default: (await import("./row-story.tsx")).RowStory }));

export function Page() {
  const { jobId = "" } = useParams({ strict: false });
  const { data: job, error, refetch } = useQuery(jobQuery(jobId));
  return (
    <>
      <Anchor component={Link} to="/bulk" size="sm" display="inline-block" mb="sm">
        {messages.allJobs}
      </Anchor>
      {isMissing(error) || (job && isBeingDeleted(job)) ? (
        <MissingItem texts={messages.notFound} to="/bulk" />
      ) : job ? (
        <JobView key={job.id} job={job} />
      ) : error ? (
        <ErrorAlert error={error} onRetry={() => void refetch()} title={messages.failed} />
      ) : (
        <BlockLoading height={{ base: 700, sm: 560 }} />
      )}
    </>
  );
}

function JobView({ job }: { job: Job }) {
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const filter = filterIn(search);
  const events = useJobEvents(job.id, job);
  const transition = useJobTransition(job.id);
  const pending = transition.isPending ? messages.actions.pending[transition.variables] : undefined;
  const isReadable = !hasEnded(job) || job.results_url !== null;
  return (
    <>
      <PageHeader
        title={job.filename}
        actions={
          <Group gap="xs">
            {isReadable && <JobDownloads job={job} filter={filter} />}
            {isReadable && job.status === "completed" && <RecheckButton job={job} />}
            {isReadable && job.status === "completed" && <SaveAsList job={job} />}
            <JobActions job={job} transition={transition} />
          </Group>
        }
      >
        {messages.intro(job.email_column, <Timestamp at={job.created_at} />)}
      </PageHeader>
      <Stack gap="lg">
        {transition.error && !isConfirmed(transition.variables) && <ErrorAlert error={transition.error} />}
        {job.error && (
          <Alert color="red" title={messages.errorTitle(job.error.title)} role="alert">
            <Text size="sm">{common.error.problem(job.error.code, job.error.detail)}</Text>
          </Alert>
        )}
        {events.error !== undefined && !hasEnded(job) && (
          <ErrorAlert title={messages.notLive} error={events.error} onRetry={events.reconnect} />
        )}
        <JobProgress job={job} pending={pending} />
        <SubStatusBreakdown job={job} />
        {isReadable ? <ResultsSection job={job} filter={filter} /> : <NoResults job={job} />}
      </Stack>
      {isReadable && search.row !== undefined && (
        <Suspense>
          <RowStory job={job} row={search.row} />
        </Suspense>
      )}
    </>
  );
}

/** Its error is shown in the dialog. */
const isConfirmed = (transition: string | undefined) => transition === "cancel" || transition === "finish";

function NoResults({ job }: { job: Job }) {
  if (job.expires_at === null || Date.parse(job.expires_at) > Date.now()) {
    return <EmptyState title={messages.noResults.none}>{messages.noResults.noneText}</EmptyState>;
  }
  return (
    <EmptyState title={messages.noResults.expired}>
      {messages.noResults.expiredText(<Timestamp at={job.expires_at} isExact />)}
    </EmptyState>
  );
}
