/** State of the installation: providers that refuse it, jobs, processes, queue, dead letters, connectivity, identities, throttling, lists. */

import type { System } from "@mailvet/contract";
import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { formatNumber } from "../../components/number-format.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { Stat, StatGrid } from "../../components/stat.tsx";
import { locale } from "../../language.ts";
import { common } from "../../messages.ts";
import { AdjudicatorSection } from "./adjudicator-section.tsx";
import { DeadLetters } from "./dead-letters.tsx";
import { EgressReport } from "./egress-report.tsx";
import { IdentityTable } from "./identity-table.tsx";
import { ListsSection } from "./lists-section.tsx";
import { messages } from "./messages.tsx";
import { OperatorOnly } from "./operator-only.tsx";
import { systemQuery } from "./operator-queries.ts";
import { ProcessTable } from "./process-table.tsx";
import { ProviderAlerts } from "./provider-alerts.tsx";
import { QueueTable } from "./queue-table.tsx";
import { ThrottleTable } from "./throttle-table.tsx";

export function Page() {
  return (
    <OperatorOnly title={messages.system.title}>
      <SystemReport />
    </OperatorOnly>
  );
}

function SystemReport() {
  const { data: system, error, refetch } = useQuery(systemQuery);
  return (
    <>
      <PageHeader title={messages.system.title}>{messages.system.intro}</PageHeader>
      <Stack gap="lg">
        {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
        {!system && !error && <Loading lines={6} />}
        {system && (
          <>
            <ProviderAlerts providers={system.providers} hasIdentities={system.identities.length > 1} />
            <SystemStats system={system} />
            <ProcessTable processes={system.processes} nowMs={serverNow(system)} />
            <QueueTable queue={system.queue} nowMs={serverNow(system)} />
            <DeadLetters />
            <EgressReport report={system.egress} />
            <IdentityTable identities={system.identities} />
            <ThrottleTable pacing={system.pacing} hasIdentities={system.identities.length > 1} />
            <ListsSection lists={system.lists} />
            {system.adjudicator && <AdjudicatorSection adjudicator={system.adjudicator} />}
          </>
        )}
      </Stack>
    </>
  );
}

/** The latest heartbeat: approximately now by the server's clock, which may differ from the browser's. */
function serverNow({ processes }: System): number {
  return Math.max(...processes.map(({ beat_at }) => Date.parse(beat_at)));
}

function SystemStats({ system }: { system: System }) {
  const { jobs } = system;
  const rate = jobs.rows_per_second;
  const texts = messages.system;
  const stats = [
    [texts.jobs, formatNumber(jobs.processing), texts.jobsHint(jobs.queued, jobs.paused)],
    [texts.rate, rate === null ? common.none : formatNumber(Math.round(rate * 10) / 10), texts.rateHint],
    [texts.processes, formatNumber(system.processes.length), texts.version(system.version)],
    [
      texts.database,
      formatBytes(system.database_bytes),
      system.storage === "embedded" ? texts.embedded : texts.external,
    ],
  ] as const;
  return (
    <StatGrid>
      {stats.map(([name, value, hint]) => (
        <Stat key={name} name={name} value={value}>
          {hint}
        </Stat>
      ))}
    </StatGrid>
  );
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

function formatBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const format = {
    style: "unit",
    unit: UNITS[step],
    unitDisplay: "short",
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(locale, format as Intl.NumberFormatOptions).format(bytes / 1000 ** step);
}
