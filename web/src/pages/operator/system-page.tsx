/** How this installation is doing, as of a few seconds ago. */
import type { System } from "@mailvet/contract";
import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { formatNumber } from "../../shared/number-format.ts";
import { PageHeader } from "../../shared/page-header.tsx";
import { Stat, StatGrid } from "../../shared/stat.tsx";
import { AdjudicatorSection } from "./adjudicator-section.tsx";
import { EgressReport } from "./egress-report.tsx";
import { ListsSection } from "./lists-section.tsx";
import { OperatorOnly } from "./operator-only.tsx";
import { systemQuery } from "./operator-queries.ts";
import { ProcessTable } from "./process-table.tsx";
import { QueueTable } from "./queue-table.tsx";
import { ThrottleTable } from "./throttle-table.tsx";

export function Page() {
  return (
    <OperatorOnly title="System">
      <SystemNow />
    </OperatorOnly>
  );
}

function SystemNow() {
  const { data: system, error, refetch } = useQuery(systemQuery);
  return (
    <>
      <PageHeader title="System">
        What runs, what waits, and how the world receives us. Looked up anew every five seconds.
      </PageHeader>
      <Stack gap="lg">
        {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
        {!system && !error && <Loading lines={6} />}
        {system && (
          <>
            <SystemFigures system={system} />
            <ProcessTable processes={system.processes} nowMs={nowThere(system)} />
            <QueueTable queue={system.queue} nowMs={nowThere(system)} />
            <EgressReport report={system.egress} />
            <ThrottleTable pacing={system.pacing} />
            <ListsSection lists={system.lists} />
            {system.adjudicator && <AdjudicatorSection adjudicator={system.adjudicator} />}
          </>
        )}
      </Stack>
    </>
  );
}

/** By the service's own clock, which the browser's may not agree with: somebody there has just given a sign of life. */
function nowThere({ processes }: System): number {
  return Math.max(...processes.map(({ beat_at }) => Date.parse(beat_at)));
}

function SystemFigures({ system }: { system: System }) {
  const { jobs } = system;
  const rate = jobs.rows_per_second;
  const figures = [
    [
      "Jobs under way",
      formatNumber(jobs.processing),
      `${formatNumber(jobs.queued)} waiting, ${formatNumber(jobs.paused)} paused`,
    ],
    [
      "Rows per second",
      rate === null ? "–" : formatNumber(Math.round(rate * 10) / 10),
      "Verdicts of all jobs together",
    ],
    ["Processes", formatNumber(system.processes.length), `Version ${system.version}`],
    [
      "Database",
      inBytes(system.database_bytes),
      system.storage === "embedded" ? "Its own, embedded" : "At DATABASE_URL",
    ],
  ] as const;
  return (
    <StatGrid>
      {figures.map(([name, figure, more]) => (
        <Stat key={name} name={name} value={figure}>
          {more}
        </Stat>
      ))}
    </StatGrid>
  );
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

function inBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const format = {
    style: "unit",
    unit: UNITS[step],
    unitDisplay: "short",
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(undefined, format as Intl.NumberFormatOptions).format(bytes / 1000 ** step);
}
