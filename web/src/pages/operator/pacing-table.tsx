/** How gently each mail host has to be asked, and whom we leave alone for a while. */
import type { HostPace } from "@mailvet/contract";
import { Badge, Table, Text } from "@mantine/core";
import { grouped } from "../../parts/counted.ts";
import { duration, Moment } from "../../parts/moment.tsx";
import { Section } from "../../parts/section.tsx";

export function PacingTable({ pacing }: { pacing: readonly HostPace[] }) {
  return (
    <Section
      title="Pacing"
      intro="Hosts and providers that asked us to go slower. Whoever refuses us again and again is left alone for a while."
    >
      {pacing.length === 0 && <Text c="dimmed">Nobody has complained.</Text>}
      {pacing.length > 0 && (
        <Table className="stacks">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Host or provider</Table.Th>
              <Table.Th scope="col" ta="right">
                At once
              </Table.Th>
              <Table.Th scope="col" ta="right">
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

function PaceRow({ pace }: { pace: HostPace }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={600} className="breaks" miw={200}>
        {pace.key}
      </Table.Th>
      <Table.Td ta="right" className="tabular" data-name="At once">
        {grouped(pace.limit)}
      </Table.Td>
      <Table.Td ta="right" className="tabular" data-name="Rest between">
        {pace.rest_ms < 1000 ? `${grouped(Math.round(pace.rest_ms))} ms` : duration(pace.rest_ms / 1000)}
      </Table.Td>
      <Table.Td data-name="Breaker">
        {pace.breaker_open_until ? (
          <span>
            <Badge color="red">Open</Badge> until <Moment at={pace.breaker_open_until} />
          </span>
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
