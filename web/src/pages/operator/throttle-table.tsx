/** Throttle state per mail host and egress identity: concurrency, delay, circuit breaker. */

import type { HostPace } from "@mailvet/contract";
import { Badge, Table, Text } from "@mantine/core";
import { formatNumber } from "../../components/number-format.ts";
import { Section } from "../../components/section.tsx";
import { formatDuration, Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";

/** `hasIdentities`: there are several, so each row names the one that is throttled. */
export function ThrottleTable({
  pacing,
  hasIdentities,
}: {
  pacing: readonly HostPace[];
  hasIdentities: boolean;
}) {
  return (
    <Section title={messages.throttling.title} intro={messages.throttling.intro}>
      {pacing.length === 0 && <Text c="dimmed">{messages.throttling.none}</Text>}
      {pacing.length > 0 && (
        <Table className="stacks" aria-label={messages.throttling.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{messages.throttling.host}</Table.Th>
              <Table.Th scope="col" ta="right" style={NOWRAP}>
                {messages.throttling.concurrency}
              </Table.Th>
              <Table.Th scope="col" ta="right" style={NOWRAP}>
                {messages.throttling.delay}
              </Table.Th>
              <Table.Th scope="col">{messages.throttling.breaker}</Table.Th>
              <Table.Th scope="col">{messages.throttling.reply}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {pacing.map((pace) => (
              <PaceRow key={`${pace.key} ${pace.identity}`} pace={pace} isNamed={hasIdentities} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}

const NOWRAP = { whiteSpace: "nowrap" } as const;

function PaceRow({ pace, isNamed }: { pace: HostPace; isNamed: boolean }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} className="breaks" miw={230}>
        {pace.key}
        {isNamed && (
          <Text size="xs" c="dimmed" fw={400}>
            {messages.throttling.fromIdentity(pace.identity)}
          </Text>
        )}
      </Table.Th>
      <Table.Td ta="right" className="tabular" data-name={messages.throttling.concurrency}>
        {formatNumber(pace.limit)}
      </Table.Td>
      <Table.Td ta="right" className="tabular" data-name={messages.throttling.delay}>
        {pace.rest_ms < 1000
          ? messages.throttling.milliseconds(Math.round(pace.rest_ms))
          : formatDuration(pace.rest_ms / 1000)}
      </Table.Td>
      <Table.Td data-name={messages.throttling.breaker} miw={160}>
        {pace.breaker_open_until ? (
          <div>
            <Badge color="red">{messages.throttling.open}</Badge>
            <Text size="xs" c="dimmed" style={NOWRAP}>
              {messages.throttling.until(<Timestamp at={pace.breaker_open_until} isExact />)}
            </Text>
          </div>
        ) : (
          messages.throttling.closed
        )}
      </Table.Td>
      <Table.Td className="breaks" data-name={messages.throttling.reply}>
        {pace.last_reply ?? common.none}
      </Table.Td>
    </Table.Tr>
  );
}
