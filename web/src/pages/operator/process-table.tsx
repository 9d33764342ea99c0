/** Processes of the installation and their heartbeats. */

import type { SystemProcess } from "@mailvet/contract";
import { Badge } from "@mantine/core";
import { Section } from "../../components/section.tsx";
import { DataTable } from "../../components/table/data-table.tsx";
import { formatDuration, Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";

const texts = messages.processes;
/** Several heartbeat intervals. */
const OVERDUE_AFTER_S = 30;

export function ProcessTable({ processes, nowMs }: { processes: readonly SystemProcess[]; nowMs: number }) {
  return (
    <Section title={texts.title} isBare>
      <DataTable
        label={texts.title}
        rows={processes}
        rowKey={({ id }) => id}
        columns={[
          { name: texts.role, width: "24%", cell: ({ role }) => texts.roles[role] },
          {
            name: texts.host,
            cell: ({ host, pid }) => texts.hostAndPid(host, pid),
            sortBy: ({ host }) => host,
          },
          {
            name: texts.started,
            cell: ({ started_at }) => <Timestamp at={started_at} />,
            sortBy: ({ started_at }) => started_at,
            first: "desc",
          },
          { name: texts.heartbeat, cell: ({ beat_at }) => <Heartbeat at={beat_at} nowMs={nowMs} /> },
        ]}
      />
    </Section>
  );
}

function Heartbeat({ at, nowMs }: { at: string; nowMs: number }) {
  const seconds = secondsSince(at, nowMs);
  return (
    <span>
      {seconds < 1 ? common.justNow : texts.ago(formatDuration(seconds))}{" "}
      {seconds > OVERDUE_AFTER_S && <Badge color="yellow">{texts.overdue}</Badge>}
    </span>
  );
}

export function secondsSince(at: string, nowMs: number): number {
  return Math.max(0, (nowMs - Date.parse(at)) / 1000);
}
