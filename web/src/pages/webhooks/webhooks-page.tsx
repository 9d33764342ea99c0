/** Webhook endpoints of the account. */

import type { WebhookEndpoint } from "@mailvet/contract";
import { Anchor, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { CreateWebhook } from "./create-webhook.tsx";
import { messages } from "./messages.tsx";
import { nameOf } from "./webhook-name.ts";
import { webhooksQuery } from "./webhook-queries.ts";
import { WebhookStatus, webhookProblem } from "./webhook-status.tsx";

export function Page() {
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery);
  const [isCreating, setIsCreating] = useState(false);
  const add = <Button onClick={() => setIsCreating(true)}>{messages.add}</Button>;
  return (
    <>
      <PageHeader title={messages.title} actions={webhooks && webhooks.length > 0 ? add : undefined}>
        {messages.intro}
      </PageHeader>
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!webhooks && !error && <Loading />}
      {webhooks?.length === 0 && (
        <EmptyState title={messages.none} action={add}>
          {messages.noneText}
        </EmptyState>
      )}
      {webhooks && webhooks.length > 0 && (
        <Stack gap="sm" component="ul" className="plain-list" aria-label={messages.list}>
          {webhooks.map((webhook) => (
            <WebhookCard key={webhook.id} webhook={webhook} />
          ))}
        </Stack>
      )}
      {isCreating && <CreateWebhook onClose={() => setIsCreating(false)} />}
    </>
  );
}

function WebhookCard({ webhook }: { webhook: WebhookEndpoint }) {
  const problem = webhookProblem(webhook);
  return (
    <Paper component="li" withBorder radius="md" p="md">
      <Stack gap={6}>
        <Group gap="xs">
          <Anchor
            fw={500}
            className="breaks"
            renderRoot={(props) => (
              <Link {...props} to="/webhooks/$webhookId" params={{ webhookId: webhook.id }} />
            )}
          >
            {nameOf(webhook)}
          </Anchor>
          <WebhookStatus webhook={webhook} />
        </Group>
        <Text size="sm" className="breaks">
          {webhook.url}
        </Text>
        <Text size="sm" c="dimmed" className="breaks">
          {webhook.events.length === 0 ? messages.everyEvent : webhook.events.join(", ")} ·{" "}
          {messages.addedAt(<Timestamp at={webhook.created_at} />)}
        </Text>
        {problem && (
          <Text size="sm" className="breaks">
            {problem}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
