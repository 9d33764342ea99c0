/** Recent checks of this tab. */
import { Anchor, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Timestamp } from "../../components/timestamp.tsx";
import { StatusBadge } from "../../components/verdict/status-badge.tsx";
import type { Check } from "./check-storage.ts";
import { messages } from "./messages.tsx";

export function CheckHistory({ checks, shown }: { checks: Check[]; shown: Check | undefined }) {
  if (checks.length === 0) return null;
  return (
    <section aria-labelledby="history">
      <Title order={2} size="h4" id="history">
        {messages.history.title}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {messages.history.intro}
      </Text>
      <Paper withBorder component="ul" className="plain-list ruled">
        {checks.map((check) => (
          <HistoryRow key={check.result.request_id} check={check} isShown={check === shown} />
        ))}
      </Paper>
    </section>
  );
}

function HistoryRow({ check: { result, receivedAtMs }, isShown }: { check: Check; isShown: boolean }) {
  return (
    <Group component="li" justify="space-between" gap="xs" px="md" py="sm">
      <Stack gap={2} miw={0} flex="1 1 220px">
        <Anchor
          renderRoot={(props) => <Link {...props} to="/validate" search={{ email: result.email }} />}
          className="breaks"
          aria-current={isShown ? "true" : undefined}
        >
          {result.email}
        </Anchor>
        <Text size="xs" c="dimmed">
          <Timestamp at={new Date(receivedAtMs).toISOString()} />
          {isShown ? ` · ${messages.history.shown}` : ""}
        </Text>
      </Stack>
      <StatusBadge status={result.status} subStatus={result.sub_status} />
    </Group>
  );
}
