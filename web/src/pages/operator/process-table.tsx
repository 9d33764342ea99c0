/** The processes of this installation and their signs of life. */
import type { SystemProcess } from "@mailvet/contract";
import { Badge, Table } from "@mantine/core";
import { Section } from "../../shared/section.tsx";
import { formatDuration, Timestamp } from "../../shared/timestamp.tsx";

const ROLES: Readonly<Record<SystemProcess["role"], string>> = {
  all: "API and worker",
  api: "API",
  worker: "Worker",
};

/** Signs of life come every few seconds. */
const SILENT_AFTER_S = 30;

export function ProcessTable({ processes, nowMs }: { processes: readonly SystemProcess[]; nowMs: number }) {
  return (
    <Section title="Processes">
      <Table className="stacks" aria-label="Processes">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Does</Table.Th>
            <Table.Th scope="col">Host</Table.Th>
            <Table.Th scope="col">Since</Table.Th>
            <Table.Th scope="col">Last sign of life</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {processes.map((process) => (
            <Table.Tr key={process.id}>
              <Table.Th scope="row" fw={500}>
                {ROLES[process.role]}
              </Table.Th>
              <Table.Td className="breaks" data-name="Host">
                {process.host}, process {process.pid}
              </Table.Td>
              <Table.Td data-name="Since">
                <Timestamp at={process.started_at} />
              </Table.Td>
              <Table.Td data-name="Last sign of life">
                <Beat at={process.beat_at} nowMs={nowMs} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

function Beat({ at, nowMs }: { at: string; nowMs: number }) {
  const seconds = secondsSince(at, nowMs);
  return (
    <span>
      {seconds < 1 ? "just now" : `${formatDuration(seconds)} ago`}{" "}
      {seconds > SILENT_AFTER_S && <Badge color="yellow">Silent</Badge>}
    </span>
  );
}

export function secondsSince(at: string, nowMs: number): number {
  return Math.max(0, (nowMs - Date.parse(at)) / 1000);
}
