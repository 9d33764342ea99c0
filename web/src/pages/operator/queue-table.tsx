/** Tasks per queue. */

import type { QueueLine, System } from "@mailvet/contract";
import { formatNumber } from "../../components/number-format.ts";
import { Section } from "../../components/section.tsx";
import { DataTable } from "../../components/table/data-table.tsx";
import { formatDuration } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";
import { secondsSince } from "./process-table.tsx";

const QUEUES = Object.keys(messages.queue.names) as (keyof System["queue"])[];

export function QueueTable({ queue, nowMs }: { queue: System["queue"]; nowMs: number }) {
  return (
    <Section title={messages.queue.title} intro={messages.queue.intro} isBare>
      <DataTable
        label={messages.queue.title}
        rows={QUEUES.map((name) => ({ name, line: queue[name] }))}
        rowKey={({ name }) => name}
        columns={[
          { name: messages.queue.queue, width: "28%", cell: ({ name }) => messages.queue.names[name] },
          ...COUNTS.map((field) => ({
            name: messages.queue[field],
            cell: ({ line }: { line: QueueLine }) => formatNumber(line[field]),
            sortBy: ({ line }: { line: QueueLine }) => line[field],
            first: "desc" as const,
            isNumber: true,
          })),
          { name: messages.queue.longestWait, cell: ({ line }) => longestWait(line, nowMs), isNumber: true },
        ]}
      />
    </Section>
  );
}

const COUNTS = ["waiting", "due", "in_hand"] as const satisfies readonly (keyof QueueLine)[];

function longestWait({ oldest_due_at }: QueueLine, nowMs: number): string {
  return oldest_due_at ? formatDuration(secondsSince(oldest_due_at, nowMs)) : common.none;
}
