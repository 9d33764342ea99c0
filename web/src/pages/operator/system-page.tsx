/** How this installation is doing, as of a few seconds ago. */
import type { System } from "@mailvet/contract";
import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { grouped } from "../../parts/counted.ts";
import { FailureNote } from "../../parts/failure-note.tsx";
import { Figure, Figures } from "../../parts/figure.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { AdjudicatorNote } from "./adjudicator-note.tsx";
import { EgressReport } from "./egress-report.tsx";
import { ListsNote } from "./lists-note.tsx";
import { OperatorOnly } from "./operator-only.tsx";
import { systemQuery } from "./operator-queries.ts";
import { PacingTable } from "./pacing-table.tsx";
import { ProcessTable } from "./process-table.tsx";
import { QueueTable } from "./queue-table.tsx";

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
      <PageTitle title="System">
        What runs, what waits, and how the world receives us. Looked up anew every five seconds.
      </PageTitle>
      <Stack gap="lg">
        {error && <FailureNote error={error} onRetry={() => void refetch()} />}
        {!system && !error && <Waiting lines={6} />}
        {system && (
          <>
            <SystemFigures system={system} />
            <ProcessTable processes={system.processes} nowMs={nowThere(system)} />
            <QueueTable queue={system.queue} nowMs={nowThere(system)} />
            <EgressReport report={system.egress} />
            <PacingTable pacing={system.pacing} />
            <ListsNote lists={system.lists} />
            {system.adjudicator && <AdjudicatorNote adjudicator={system.adjudicator} />}
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
      grouped(jobs.processing),
      `${grouped(jobs.queued)} waiting, ${grouped(jobs.paused)} paused`,
    ],
    [
      "Rows per second",
      rate === null ? "–" : grouped(Math.round(rate * 10) / 10),
      "Verdicts of all jobs together",
    ],
    ["Processes", grouped(system.processes.length), `Version ${system.version}`],
    [
      "Database",
      inBytes(system.database_bytes),
      system.storage === "embedded" ? "Its own, embedded" : "At DATABASE_URL",
    ],
  ] as const;
  return (
    <Figures>
      {figures.map(([name, figure, more]) => (
        <Figure key={name} name={name} value={figure}>
          {more}
        </Figure>
      ))}
    </Figures>
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
