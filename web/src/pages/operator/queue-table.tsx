/** How long the lines are. */
import type { QueueLine, System } from "@mailvet/contract";
import { Table } from "@mantine/core";
import { formatNumber } from "../../shared/number-format.ts";
import { Section } from "../../shared/section.tsx";
import { formatDuration } from "../../shared/timestamp.tsx";
import { secondsSince } from "./process-table.tsx";

const LINES = { jobs: "Jobs", rechecks: "Rechecks", webhooks: "Webhooks" } as const satisfies Record<
  keyof System["queue"],
  string
>;

export function QueueTable({ queue, nowMs }: { queue: System["queue"]; nowMs: number }) {
  return (
    <Section
      title="Queue"
      intro="Due tasks could be taken now; the others have their time later, or are paused."
    >
      <Table className="stacks" aria-label="Queue">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Line</Table.Th>
            {NUMBERS.map(([what, name]) => (
              <Table.Th key={what} scope="col" ta="right">
                {name}
              </Table.Th>
            ))}
            <Table.Th scope="col" ta="right">
              Longest wait
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {(Object.keys(LINES) as (keyof typeof LINES)[]).map((line) => (
            <Table.Tr key={line}>
              <Table.Th scope="row" fw={500}>
                {LINES[line]}
              </Table.Th>
              <Numbers line={queue[line]} />
              <Table.Td ta="right" className="tabular" data-name="Longest wait">
                {longestWait(queue[line], nowMs)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

const NUMBERS = [
  ["waiting", "Waiting"],
  ["due", "Due"],
  ["in_hand", "In hand"],
] as const satisfies readonly (readonly [keyof QueueLine, string])[];

function Numbers({ line }: { line: QueueLine }) {
  return NUMBERS.map(([what, name]) => (
    <Table.Td key={what} ta="right" className="tabular" data-name={name}>
      {formatNumber(line[what])}
    </Table.Td>
  ));
}

function longestWait({ oldest_due_at }: QueueLine, nowMs: number): string {
  return oldest_due_at ? formatDuration(secondsSince(oldest_due_at, nowMs)) : "Nobody waits";
}
