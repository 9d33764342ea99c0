/** Every row of a job with its verdict: by verdict, by text, as far as one likes to scroll. */
import type { Job, Status } from "@mailvet/contract";
import { Button, CloseButton, Group, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { useSessionStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useState } from "react";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { formatNumber, plural } from "../../shared/number-format.ts";
import { resultsQuery } from "../bulk/job-queries.ts";
import { ResultsTable } from "./results-table.tsx";
import { useResultPages } from "./use-result-pages.ts";
import { MAX_SCANNED_ROWS, type ResultScan, useResultScan } from "./use-result-scan.ts";

const FILTERS: readonly (readonly [Status | undefined, string])[] = [
  [undefined, "All"],
  ["valid", "Valid"],
  ["risky", "Risky"],
  ["unknown", "Unknown"],
  ["invalid", "Invalid"],
];

/** Taller than this no browser lets a page grow. */
const MAX_SHOWN_ROWS = 200_000;

export function ResultsSection({ job, status }: { job: Job; status: Status | undefined }) {
  // Not in the address: what is typed here is mostly somebody's, and addresses end up in logs.
  const [text, setText] = useSessionStorage({ key: `mailvet.search.${job.id}`, defaultValue: "" });
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const isSearch = wanted !== "";
  return (
    <Stack component="section" aria-labelledby="results-title" gap="sm">
      <Title order={2} size="h4" id="results-title">
        Results
      </Title>
      <Group justify="space-between" gap="sm">
        <VerdictFilter jobId={job.id} status={status} />
        <TextInput
          aria-label="Search in the emails"
          placeholder="Search in the emails"
          value={text}
          onChange={({ currentTarget: { value } }) => setText(value)}
          maxLength={320}
          w={{ base: "100%", xs: 260 }}
          rightSection={
            text !== "" && <CloseButton size="sm" aria-label="Clear the search" onClick={() => setText("")} />
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
    <Group gap={5} role="group" aria-label="Which verdicts to show">
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

/** All rows, or all with one verdict: the first page says how many there are. */
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
    return <EmptyState title="No rows with this verdict">Choose another verdict above.</EmptyState>;
  return (
    <>
      <Note>
        {total <= MAX_SHOWN_ROWS
          ? plural(total, "row")
          : `The first ${formatNumber(MAX_SHOWN_ROWS)} of ${plural(total, "row")}; the download has them all`}
      </Note>
      <PagedResults job={job} status={status} total={Math.min(total, MAX_SHOWN_ROWS)} />
    </>
  );
}

function PagedResults({ job, status, total }: ResultsProps & { total: number }) {
  const [first, setFirst] = useState(0);
  const { at, error, again } = useResultPages(job.id, status, total, first);
  return (
    <>
      {error !== undefined && <Failed error={error} onRetry={again} />}
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
        <EmptyState title="No email contains this">
          Search for a part of an address, such as a name or a domain.
        </EmptyState>
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
  const hits = `${plural(found, "row")} found`;
  if (!isDone) return `${hits}, ${formatNumber(rowsRead)} of ${plural(job.total_rows, "row")} searched`;
  if (rowsRead < job.total_rows) return `${hits} in the first ${plural(MAX_SCANNED_ROWS, "row")}`;
  return hits;
}

function Note({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed" role="status" className="tabular">
      {children}
    </Text>
  );
}

function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return <ErrorAlert error={error} title="The results could not be fetched" {...(onRetry && { onRetry })} />;
}
