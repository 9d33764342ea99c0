/** The recommendation, its reason, then verdict, score, and confidence where something was decided. */
import { Badge, Group, Paper, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import { formatDecimal, formatPercent } from "../../components/number-format.ts";
import { Timestamp } from "../../components/timestamp.tsx";
import { StatusBadge } from "../../components/verdict/status-badge.tsx";
import { common } from "../../messages.ts";
import type { Check } from "./check-storage.ts";
import { ADVICE, messages } from "./messages.tsx";
import { OUTCOME_OF, OutcomeIcon } from "./outcome-icon.tsx";
import classes from "./validate.module.css";

export function VerdictCard({ check: { result }, children }: { check: Check; children?: ReactNode }) {
  const { status, sub_status, confidence, score, recommendation } = result;
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }}>
      <Stack gap="lg">
        <Group gap="md" wrap="nowrap" align="flex-start">
          <OutcomeIcon outcome={OUTCOME_OF[status]} size={44} />
          <Stack gap={6} miw={0}>
            <Text component="p" m={0} className="display">
              {sub_status === "smtp_skipped"
                ? common.mailboxUnchecked
                : common.recommendations[recommendation]}
            </Text>
            <Title order={2} fz="lg" fw={500} className="breaks">
              {result.reason}
            </Title>
            <Text c="dimmed">{ADVICE[sub_status].action}</Text>
          </Stack>
        </Group>
        {children}
        <dl className={classes.figures}>
          <Figure name={common.email} value={result.email} />
          <Figure name={common.verdict} value={<StatusBadge status={status} subStatus={sub_status} />} />
          <Figure
            name={messages.card.score}
            value={messages.card.scoreOf(score)}
            hint={messages.card.scoreHint}
          />
          {status !== "unknown" && (
            <Figure
              name={messages.card.confidence}
              value={formatPercent(confidence)}
              hint={messages.card.confidenceHint(status)}
            />
          )}
          <Figure name={messages.card.source} value={<Provenance result={result} />} />
        </dl>
      </Stack>
    </Paper>
  );
}

function Figure({ name, value, hint }: { name: string; value: ReactNode; hint?: string }) {
  return (
    <div title={hint}>
      <dt>
        {name}
        {hint && <VisuallyHidden> {hint}</VisuallyHidden>}
      </dt>
      <dd className="tabular breaks">{value}</dd>
    </div>
  );
}

/** Source of the result: sandbox, cache, or a check just now. */
function Provenance({ result: { metadata, performance } }: Pick<Check, "result">) {
  if (metadata.sandbox) return <Badge color="violet">{messages.card.sandbox}</Badge>;
  const checkedAt = <Timestamp at={new Date(metadata.checked_at * 1000).toISOString()} />;
  return metadata.cached
    ? messages.card.cached(checkedAt)
    : messages.card.checked(checkedAt, responseTime(performance.response_time_ms));
}

function responseTime(ms: number): string {
  if (ms < 100) return messages.card.milliseconds(Math.max(1, Math.round(ms)));
  return messages.card.seconds(formatDecimal(ms / 1000));
}
