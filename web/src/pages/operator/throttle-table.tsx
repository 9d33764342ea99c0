/** Throttle state per mail host and egress identity: concurrency, delay, circuit breaker. */

import type { HostPace } from "@mailvet/contract";
import { Badge, Text } from "@mantine/core";
import { formatNumber } from "../../components/number-format.ts";
import { Section } from "../../components/section.tsx";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
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
    <Section title={texts.title} intro={texts.intro} isBare>
      {pacing.length === 0 && <Text c="dimmed">{texts.none}</Text>}
      {pacing.length > 0 && (
        <DataTable
          label={texts.title}
          rows={pacing}
          rowKey={({ key, identity }) => `${key} ${identity}`}
          columns={[{ ...HOST, cell: (pace) => <Host pace={pace} isNamed={hasIdentities} /> }, ...COLUMNS]}
        />
      )}
    </Section>
  );
}

const texts = messages.throttling;

const HOST = { name: texts.host, width: "26%", sortBy: ({ key }: HostPace) => key };

const COLUMNS: readonly Column<HostPace>[] = [
  {
    name: texts.concurrency,
    cell: ({ limit }) => formatNumber(limit),
    sortBy: ({ limit }) => limit,
    isNumber: true,
  },
  {
    name: texts.delay,
    cell: ({ rest_ms: ms }) => (ms < 1000 ? texts.milliseconds(Math.round(ms)) : formatDuration(ms / 1000)),
    sortBy: ({ rest_ms }) => rest_ms,
    first: "desc",
    isNumber: true,
  },
  {
    name: texts.breaker,
    width: 300,
    cell: ({ breaker_open_until: until }) =>
      until ? (
        <>
          <Badge color="red">{texts.open}</Badge> {texts.until(<Timestamp at={until} isExact />)}
        </>
      ) : (
        texts.closed
      ),
    sortBy: ({ breaker_open_until }) => breaker_open_until,
    first: "desc",
  },
  {
    name: texts.reply,
    cell: ({ last_reply: reply }) => <span title={reply ?? ""}>{reply ?? common.none}</span>,
  },
];

function Host({ pace, isNamed }: { pace: HostPace; isNamed: boolean }) {
  const identity = isNamed ? texts.fromIdentity(pace.identity) : "";
  return (
    <span title={`${pace.key} ${identity}`}>
      {pace.key}{" "}
      <Text span inherit c="dimmed" fw={400}>
        {identity}
      </Text>
    </span>
  );
}
