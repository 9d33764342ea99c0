/** One saved list: what has changed in the last run, checking it again, schedule, deletion. */
import type { Job, SavedList } from "@mailvet/contract";
import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { isMissing, MissingItem } from "../../components/missing-item.tsx";
import { formatNumber, formatPercent } from "../../components/number-format.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { Stat, StatGrid } from "../../components/stat.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { locale } from "../../language.ts";
import { common } from "../../messages.ts";
import { hasEnded, jobQuery } from "../bulk/job-queries.ts";
import { RecheckButton } from "../job/recheck-dialog.tsx";
import { useJobEvents } from "../job/use-job-events.ts";
import { DeleteList } from "./delete-list.tsx";
import { ListChanges } from "./list-changes.tsx";
import { listQuery, listsChanged } from "./list-queries.ts";
import { ListSettings } from "./list-settings.tsx";
import { ListTags } from "./lists-page.tsx";
import { messages } from "./messages.tsx";

export function Page() {
  const { listId = "" } = useParams({ strict: false });
  const { data: list, error, refetch } = useQuery(listQuery(listId));
  return (
    <>
      <Anchor component={Link} to="/lists" size="sm" display="inline-block" mb="sm">
        {messages.allLists}
      </Anchor>
      {isMissing(error) ? (
        <MissingItem texts={messages.notFound} to="/lists" />
      ) : list ? (
        <ListView key={list.id} list={list} />
      ) : error ? (
        <ErrorAlert error={error} onRetry={() => void refetch()} title={messages.page.failed} />
      ) : (
        <Loading lines={6} />
      )}
    </>
  );
}

function ListView({ list }: { list: SavedList }) {
  const { data: job } = useQuery(jobQuery(list.job_id));
  const isRunning = job !== undefined && !hasEnded(job);
  useJobEvents(list.job_id, job);
  const attempt = job?.attempt;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has changed is known when a run has ended
  useEffect(() => {
    if (!isRunning) void listsChanged();
  }, [isRunning, attempt]);
  return (
    <>
      <PageHeader
        title={list.name}
        actions={
          <Group gap="xs">
            <Button
              variant="default"
              renderRoot={(props) => <Link {...props} to="/bulk/$jobId" params={{ jobId: list.job_id }} />}
            >
              {messages.page.openJob}
            </Button>
            {job?.status === "completed" && <RecheckButton job={job} />}
          </Group>
        }
      >
        {list.schedule ? messages.schedules[list.schedule] : messages.noSchedule} ·{" "}
        {messages.savedAt(<Timestamp at={list.created_at} />)}
      </PageHeader>
      <Stack gap="lg">
        <ListTags list={list} />
        {list.last_error && (
          <Alert color="yellow" title={messages.page.notRun}>
            {list.last_error}
          </Alert>
        )}
        {isRunning && <Text role="status">{messages.page.running(job.processed, job.unique_emails)}</Text>}
        <ListFigures list={list} job={job} />
        <ListChanges list={list} />
        <ListSettings list={list} emails={job?.unique_emails} />
        <DeleteList list={list} />
      </Stack>
    </>
  );
}

const DAY = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });

function ListFigures({ list, job }: { list: SavedList; job: Job | undefined }) {
  const texts = messages.page.figures;
  const hasRun = list.last_run_at !== null;
  const ofLastRun = (count: number) => (hasRun ? formatNumber(count) : common.none);
  return (
    <StatGrid>
      <Stat name={texts.emails} value={job ? formatNumber(job.unique_emails) : common.none}>
        {job && texts.valid(formatPercent(job.valid_count / job.unique_emails))}
      </Stat>
      <Stat name={texts.newlyInvalid} value={ofLastRun(list.newly_invalid)}>
        {hasRun ? texts.inLastRun : texts.notYet}
      </Stat>
      <Stat name={texts.recovered} value={ofLastRun(list.recovered)}>
        {hasRun ? texts.inLastRun : texts.notYet}
      </Stat>
      <Stat
        name={texts.nextRun}
        value={list.next_run_at ? DAY.format(new Date(list.next_run_at)) : common.none}
      >
        {list.last_run_at ? texts.lastRun(<Timestamp at={list.last_run_at} />) : texts.notYet}
      </Stat>
    </StatGrid>
  );
}
