/** Results of a job, filtered by verdict and text. */

import type { Job, Status } from "@mailvet/contract";
import { Button, CloseButton, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useSessionStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useState } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { common } from "../../messages.ts";
import { resultsQuery } from "../bulk/job-queries.ts";
import { messages } from "./messages.tsx";
import { ResultsTable } from "./results-table.tsx";
import { useResultPages } from "./use-result-pages.ts";
import { MAX_SCANNED_ROWS, type ResultScan, useResultScan } from "./use-result-scan.ts";

const FILTERS: readonly (readonly [Status | undefined, string])[] = [
  [undefined, messages.results.all],
  ...(Object.entries(common.status) as [Status, string][]),
];

/** Browsers limit the height of an element. */
const MAX_SHOWN_ROWS = 200_000;

export function ResultsSection({ job, status }: { job: Job; status: Status | undefined }) {
  // Not in the URL: search texts are personal data, and URLs end up in logs.
  const [text, setText] = useSessionStorage({ key: `mailvet.search.${job.id}`, defaultValue: "" });
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const isSearch = wanted !== "";
  return (
    <Stack component="section" aria-labelledby="results-title" gap="sm">
      <Title order={2} size="h4" id="results-title">
        {messages.results.title}
      </Title>
      <Group justify="space-between" gap="sm">
        <VerdictFilter jobId={job.id} status={status} />
        <TextInput
          aria-label={messages.results.search}
          placeholder={messages.results.search}
          value={text}
          onChange={({ currentTarget: { value } }) => setText(value)}
          maxLength={320}
          w={{ base: "100%", xs: 260 }}
          rightSection={
            text !== "" && (
              <CloseButton size="sm" aria-label={messages.results.clear} onClick={() => setText("")} />
            )
          }
        />
      </Group>
      {isSearch ? (
        <FoundResults job={job} status={status} wanted={wanted} />
      ) : (
        <AllResults key={status ?? "all"} job={job} status={status} />
      )}
    </Stack>
  );
}

type ResultsProps = { job: Job; status: Status | undefined };

function VerdictFilter({ jobId, status }: { jobId: string; status: Status | undefined }) {
  return (
    <Group gap={5} role="group" aria-label={messages.results.filter}>
      {FILTERS.map(([value, name]) => (
        <Button
          key={name}
          renderRoot={(props) => (
            <Link
              {...props}
              to="/bulk/$jobId"
              params={{ jobId }}
              search={value ? { status: value } : {}}
              resetScroll={false}
              replace
            />
          )}
          size="sm"
          px={{ base: 7, xs: "sm" }}
          variant={value === status ? "filled" : "default"}
          aria-current={value === status ? "true" : undefined}
        >
          {name}
        </Button>
      ))}
    </Group>
  );
}

/** All rows, or those with one verdict. The first page contains the total. */
function AllResults({ job, status }: ResultsProps) {
  const { data, error, refetch } = useQuery(resultsQuery(job.id, status, 0));
  const total = data?.total ?? 0;
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Paper withBorder p="lg" radius="md">
        <Loading lines={6} />
      </Paper>
    );
  }
  if (total === 0)
    return (
      <EmptyState title={messages.results.noneWithVerdict}>{messages.results.noneWithVerdictText}</EmptyState>
    );
  return (
    <>
      <Note>
        {total <= MAX_SHOWN_ROWS ? common.rows(total) : messages.results.truncated(MAX_SHOWN_ROWS, total)}
      </Note>
      <PagedResults job={job} status={status} total={Math.min(total, MAX_SHOWN_ROWS)} />
    </>
  );
}

function PagedResults({ job, status, total }: ResultsProps & { total: number }) {
  const [first, setFirst] = useState(0);
  const { at, error, retry } = useResultPages(job.id, status, total, first);
  return (
    <>
      {error !== undefined && <Failed error={error} onRetry={retry} />}
      <ResultsTable at={at} total={total} onFirst={setFirst} name={status ?? "all"} />
    </>
  );
}

function FoundResults({ job, status, wanted }: ResultsProps & { wanted: string }) {
  const scan = useResultScan(job.id);
  const found = useFound(scan, wanted, status);
  return (
    <>
      <Note>{searchNote(scan, found.length, job)}</Note>
      {scan.error !== undefined && <Failed error={scan.error} />}
      {scan.isDone && found.length === 0 && (
        <EmptyState title={messages.results.noMatch}>{messages.results.noMatchText}</EmptyState>
      )}
      {found.length > 0 && (
        <ResultsTable at={(index) => found[index]} total={found.length} name={`${status} ${wanted}`} />
      )}
    </>
  );
}

function useFound(scan: ResultScan, wanted: string, status: Status | undefined) {
  return useMemo(
    () =>
      wanted === ""
        ? []
        : scan.results.filter(
            (result) => (status === undefined || result.status === status) && result.text.includes(wanted),
          ),
    [scan, wanted, status],
  );
}

function searchNote({ isDone, rowsRead }: ResultScan, found: number, job: Job): string {
  const { results } = messages;
  const matches = results.matches(found);
  if (!isDone) return results.searched(matches, rowsRead, job.total_rows);
  if (rowsRead < job.total_rows) return results.searchedFirst(matches, MAX_SCANNED_ROWS);
  return matches;
}

function Note({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed" role="status" className="tabular">
      {children}
    </Text>
  );
}

function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return <ErrorAlert error={error} title={messages.results.failed} {...(onRetry && { onRetry })} />;
}
