/** How gently each mail host has to be asked, and whom we leave alone for a while. */
import type { HostPace } from "@mailvet/contract";
import { Badge, Table, Text } from "@mantine/core";
import { formatNumber } from "../../shared/number-format.ts";
import { Section } from "../../shared/section.tsx";
import { formatDuration, Timestamp } from "../../shared/timestamp.tsx";

export function ThrottleTable({ pacing }: { pacing: readonly HostPace[] }) {
  return (
    <Section
      title="Pacing"
      intro="Hosts and providers that asked us to go slower. Whoever refuses us again and again is left alone for a while."
    >
      {pacing.length === 0 && <Text c="dimmed">Nobody has complained.</Text>}
      {pacing.length > 0 && (
        <Table className="stacks" aria-label="Pacing">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Host or provider</Table.Th>
              <Table.Th scope="col" ta="right" style={NOWRAP}>
                At once
              </Table.Th>
              <Table.Th scope="col" ta="right" style={NOWRAP}>
                Rest between
              </Table.Th>
              <Table.Th scope="col">Breaker</Table.Th>
              <Table.Th scope="col">Their words</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {pacing.map((pace) => (
              <PaceRow key={pace.key} pace={pace} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}

const NOWRAP = { whiteSpace: "nowrap" } as const;

function PaceRow({ pace }: { pace: HostPace }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={600} className="breaks" miw={230}>
        {pace.key}
      </Table.Th>
      <Table.Td ta="right" className="tabular" data-name="At once">
        {formatNumber(pace.limit)}
      </Table.Td>
      <Table.Td ta="right" className="tabular" data-name="Rest between">
        {pace.rest_ms < 1000
          ? `${formatNumber(Math.round(pace.rest_ms))} ms`
          : formatDuration(pace.rest_ms / 1000)}
      </Table.Td>
      <Table.Td data-name="Breaker" miw={160}>
        {pace.breaker_open_until ? (
          <div>
            <Badge color="red">Open</Badge>
            <Text size="xs" c="dimmed" style={NOWRAP}>
              until <Timestamp at={pace.breaker_open_until} />
            </Text>
          </div>
        ) : (
          "Closed"
        )}
      </Table.Td>
      <Table.Td className="breaks" data-name="Their words">
        {pace.last_reply ?? "–"}
      </Table.Td>
    </Table.Tr>
  );
}
