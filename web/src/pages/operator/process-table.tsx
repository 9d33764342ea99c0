/** Processes of the installation and their heartbeats. */

import type { SystemProcess } from "@mailvet/contract";
import { Badge, Table } from "@mantine/core";
import { Section } from "../../components/section.tsx";
import { TableHead } from "../../components/table-head.tsx";
import { formatDuration, Timestamp } from "../../components/timestamp.tsx";
import { messages } from "./messages.tsx";

const texts = messages.processes;
/** Several heartbeat intervals. */
const OVERDUE_AFTER_S = 30;

export function ProcessTable({ processes, nowMs }: { processes: readonly SystemProcess[]; nowMs: number }) {
  return (
    <Section title={texts.title}>
      <Table className="stacks" aria-label={texts.title}>
        <TableHead columns={[texts.role, texts.host, texts.started, texts.heartbeat]} />
        <Table.Tbody>
          {processes.map((process) => (
            <Table.Tr key={process.id}>
              <Table.Th scope="row" fw={500}>
                {texts.roles[process.role]}
              </Table.Th>
              <Table.Td className="breaks" data-name={texts.host}>
                {texts.hostAndPid(process.host, process.pid)}
              </Table.Td>
              <Table.Td data-name={texts.started}>
                <Timestamp at={process.started_at} />
              </Table.Td>
              <Table.Td data-name={texts.heartbeat}>
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
      {seconds < 1 ? texts.now : texts.ago(formatDuration(seconds))}{" "}
      {seconds > OVERDUE_AFTER_S && <Badge color="yellow">{texts.overdue}</Badge>}
    </span>
  );
}

export function secondsSince(at: string, nowMs: number): number {
  return Math.max(0, (nowMs - Date.parse(at)) / 1000);
}
