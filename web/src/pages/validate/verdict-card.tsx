/** The verdict with its reason, the recommendation, the score, and the confidence where something was decided. */
import { Badge, Group, Paper, Progress, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { formatPercent } from "../../components/number-format.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { STATUS_COLORS, statusColor } from "../../theme.ts";

import type { Check } from "./check-storage.ts";
import { ADVICE, messages } from "./messages.tsx";
import { OUTCOME_OF, OutcomeIcon } from "./outcome-icon.tsx";
import classes from "./validate.module.css";

export function VerdictCard({ check: { result }, children }: { check: Check; children?: ReactNode }) {
  const { status, sub_status, confidence, score, recommendation } = result;
  const color = STATUS_COLORS[status];
  return (
    <Paper withBorder className={classes.verdict} __vars={{ "--tone": statusColor(status) }}>
      <Group className={classes.head} gap="md" wrap="nowrap" align="flex-start">
        <OutcomeIcon outcome={OUTCOME_OF[status]} size={44} variant="filled" />
        <Stack gap={6} miw={0}>
          <Group gap="sm" style={{ rowGap: 6 }}>
            <StatusBadge status={status} subStatus={sub_status} />
            <Text size="sm" c="dimmed" className="breaks">
              {result.email}
            </Text>
          </Group>
          <Title order={2} fz={{ base: "lg", sm: "h3" }} className="breaks">
            {result.reason}
          </Title>
          <Provenance result={result} />
        </Stack>
      </Group>
      <Stack gap="lg" p={{ base: "md", sm: "lg" }}>
        {children}
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
          <Stat name={messages.card.recommendation} value={common.recommendations[recommendation]}>
            {ADVICE[sub_status].action}
          </Stat>
          <Stat
            name={messages.card.score}
            value={messages.card.scoreOf(score)}
            share={score / 100}
            color={color}
          >
            {messages.card.scoreHint}
          </Stat>
          {status !== "unknown" && (
            <Stat
              name={messages.card.confidence}
              value={formatPercent(confidence)}
              share={confidence}
              color={color}
            >
              {messages.card.confidenceHint(status)}
            </Stat>
          )}
        </SimpleGrid>
      </Stack>
    </Paper>
  );
}

function Stat({ name, value, share, color = "gray", children }: StatProps) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {name}
      </Text>
      <Text fz={28} fw={600} lh={1.1} className="tabular">
        {value}
      </Text>
      {share !== undefined && <Progress value={share * 100} color={color} size="sm" aria-hidden />}
      <Text size="sm" c="dimmed">
        {children}
      </Text>
    </Stack>
  );
}

type StatProps = { name: string; value: string; share?: number; color?: string; children: ReactNode };

/** Source of the result: sandbox, cache, or a check just now. */
function Provenance({ result: { metadata, performance } }: Pick<Check, "result">) {
  if (metadata.sandbox) return <Badge color="violet">{messages.card.sandbox}</Badge>;
  const checkedAt = <Timestamp at={new Date(metadata.checked_at * 1000).toISOString()} />;
  return (
    <Text size="sm" c="dimmed">
      {metadata.cached
        ? messages.card.cached(checkedAt)
        : messages.card.checked(checkedAt, responseTime(performance.response_time_ms))}
    </Text>
  );
}

function responseTime(ms: number): string {
  if (ms < 100) return messages.card.milliseconds(Math.max(1, Math.round(ms)));
  return messages.card.seconds((ms / 1000).toFixed(1));
}
