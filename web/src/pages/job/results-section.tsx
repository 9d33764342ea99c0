/** Results of a job, while it runs and afterwards, by filter and order. */

import type { Job } from "@mailvet/contract";
import { Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { common } from "../../messages.ts";
import { hasEnded, resultsQuery } from "../bulk/job-queries.ts";
import { messages } from "./messages.tsx";
import { type FilterText, isNarrowed } from "./result-filter.ts";
import { ResultsFilter } from "./results-filter.tsx";
import { ResultsTable } from "./results-table.tsx";
import { useResultPages } from "./use-result-pages.ts";

/** Browsers limit the height of an element. */
const MAX_SHOWN_ROWS = 200_000;

type ResultsProps = { job: Job; filter: FilterText };

export function ResultsSection({ job, filter }: ResultsProps) {
  return (
    <Stack component="section" aria-labelledby="results-title" gap="sm" id="results">
      <Title order={2} size="h4" id="results-title">
        {messages.results.title}
      </Title>
      <ResultsFilter job={job} filter={filter} />
      <FilteredResults job={job} filter={filter} />
    </Stack>
  );
}

/** The first page contains the total. */
function FilteredResults({ job, filter }: ResultsProps) {
  const { data, error, refetch } = useQuery(resultsQuery(job, filter, 0));
  const total = data?.total ?? 0;
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Paper withBorder p="lg">
        <Loading lines={6} />
      </Paper>
    );
  }
  if (total === 0)
    return isNarrowed(filter) ? (
      <EmptyState title={messages.results.noMatch}>{messages.results.noMatchText}</EmptyState>
    ) : (
      <EmptyState title={messages.results.none}>{messages.results.noneText}</EmptyState>
    );
  return (
    <>
      <Text size="sm" c="dimmed" role="status" className="tabular">
        {total <= MAX_SHOWN_ROWS ? common.rows(total) : messages.results.truncated(MAX_SHOWN_ROWS, total)}
        {!hasEnded(job) && messages.results.soFar(job.processed, job.unique_emails)}
      </Text>
      <PagedResults
        key={JSON.stringify(filter)}
        job={job}
        filter={filter}
        total={Math.min(total, MAX_SHOWN_ROWS)}
      />
    </>
  );
}

function PagedResults({ job, filter, total }: ResultsProps & { total: number }) {
  const [first, setFirst] = useState(0);
  const { at, error, retry } = useResultPages(job, filter, total, first);
  const navigate = useNavigate();
  const open = useCallback(
    (row: number) =>
      void navigate({
        to: "/bulk/$jobId",
        params: { jobId: job.id },
        search: (before: object) => ({ ...before, row: String(row) }),
        resetScroll: false,
      }),
    [navigate, job.id],
  );
  return (
    <>
      {error !== undefined && <Failed error={error} onRetry={retry} />}
      <ResultsTable at={at} total={total} onFirst={setFirst} onOpen={open} name={JSON.stringify(filter)} />
    </>
  );
}

function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return <ErrorAlert error={error} title={messages.results.failed} {...(onRetry && { onRetry })} />;
}
