/** Tasks per queue. */

import type { QueueLine, System } from "@mailvet/contract";
import { Table } from "@mantine/core";
import { formatNumber } from "../../components/number-format.ts";
import { Section } from "../../components/section.tsx";
import { TableHead } from "../../components/table-head.tsx";
import { formatDuration } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";
import { secondsSince } from "./process-table.tsx";

const QUEUES = Object.keys(messages.queue.names) as (keyof System["queue"])[];

export function QueueTable({ queue, nowMs }: { queue: System["queue"]; nowMs: number }) {
  return (
    <Section title={messages.queue.title} intro={messages.queue.intro}>
      <Table className="stacks" aria-label={messages.queue.title}>
        <TableHead
          columns={[messages.queue.queue]}
          numbers={[...COUNTS.map((field) => messages.queue[field]), messages.queue.longestWait]}
        />
        <Table.Tbody>
          {QUEUES.map((name) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={500}>
                {messages.queue.names[name]}
              </Table.Th>
              <Counts queue={queue[name]} />
              <Table.Td ta="right" className="tabular" data-name={messages.queue.longestWait}>
                {longestWait(queue[name], nowMs)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

const COUNTS = ["waiting", "due", "in_hand"] as const satisfies readonly (keyof QueueLine)[];

function Counts({ queue }: { queue: QueueLine }) {
  return COUNTS.map((field) => (
    <Table.Td key={field} ta="right" className="tabular" data-name={messages.queue[field]}>
      {formatNumber(queue[field])}
    </Table.Td>
  ));
}

function longestWait({ oldest_due_at }: QueueLine, nowMs: number): string {
  return oldest_due_at ? formatDuration(secondsSince(oldest_due_at, nowMs)) : common.none;
}
