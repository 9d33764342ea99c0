/** Processes of the installation and their heartbeats. */

import type { SystemProcess } from "@mailvet/contract";
import { Badge, Table } from "@mantine/core";
import { Section } from "../../components/section.tsx";
import { formatDuration, Timestamp } from "../../components/timestamp.tsx";
import { messages } from "./messages.tsx";

/** Several heartbeat intervals. */
const OVERDUE_AFTER_S = 30;

export function ProcessTable({ processes, nowMs }: { processes: readonly SystemProcess[]; nowMs: number }) {
  return (
    <Section title={messages.processes.title}>
      <Table className="stacks" aria-label={messages.processes.title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{messages.processes.role}</Table.Th>
            <Table.Th scope="col">{messages.processes.host}</Table.Th>
            <Table.Th scope="col">{messages.processes.started}</Table.Th>
            <Table.Th scope="col">{messages.processes.heartbeat}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {processes.map((process) => (
            <Table.Tr key={process.id}>
              <Table.Th scope="row" fw={500}>
                {messages.processes.roles[process.role]}
              </Table.Th>
              <Table.Td className="breaks" data-name={messages.processes.host}>
                {messages.processes.hostAndPid(process.host, process.pid)}
              </Table.Td>
              <Table.Td data-name={messages.processes.started}>
                <Timestamp at={process.started_at} />
              </Table.Td>
              <Table.Td data-name={messages.processes.heartbeat}>
                <Heartbeat at={process.beat_at} nowMs={nowMs} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

function Heartbeat({ at, nowMs }: { at: string; nowMs: number }) {
  const seconds = secondsSince(at, nowMs);
  return (
    <span>
      {seconds < 1 ? messages.processes.now : messages.processes.ago(formatDuration(seconds))}{" "}
      {seconds > OVERDUE_AFTER_S && <Badge color="yellow">{messages.processes.overdue}</Badge>}
    </span>
  );
}

export function secondsSince(at: string, nowMs: number): number {
  return Math.max(0, (nowMs - Date.parse(at)) / 1000);
}
