/** Webhooks: who is told when something happens. */
import type { WebhookEndpoint } from "@mailvet/contract";
import { Anchor, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { PageHeader } from "../../shared/page-header.tsx";
import { Timestamp } from "../../shared/timestamp.tsx";
import { CreateWebhook } from "./create-webhook.tsx";
import { eventsInWords, nameOf } from "./event-words.ts";
import { webhooksQuery } from "./webhook-queries.ts";
import { WebhookStatus, whyNot } from "./webhook-status.tsx";

export function Page() {
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery);
  const [isMaking, setIsMaking] = useState(false);
  const add = <Button onClick={() => setIsMaking(true)}>Add an endpoint</Button>;
  return (
    <>
      <PageHeader title="Webhooks" actions={webhooks && webhooks.length > 0 ? add : undefined}>
        Your own programs hear of it when a job is done or credits run low, and need not ask.
      </PageHeader>
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!webhooks && !error && <Loading />}
      {webhooks?.length === 0 && (
        <EmptyState title="No endpoints yet" action={add}>
          Name a URL of yours. Every message to it is signed, and sent again for a day until it arrives.
        </EmptyState>
      )}
      {webhooks && webhooks.length > 0 && (
        <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: "none" }} aria-label="Endpoints">
          {webhooks.map((webhook) => (
            <WebhookCard key={webhook.id} webhook={webhook} />
          ))}
        </Stack>
      )}
      {isMaking && <CreateWebhook onClose={() => setIsMaking(false)} />}
    </>
  );
}

function WebhookCard({ webhook }: { webhook: WebhookEndpoint }) {
  const trouble = whyNot(webhook);
  return (
    <Paper component="li" withBorder radius="md" p="md">
      <Stack gap={6}>
        <Group gap="xs">
          <Anchor
            fw={600}
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
          {eventsInWords(webhook.events)} · added <Timestamp at={webhook.created_at} />
        </Text>
        {trouble && (
          <Text size="sm" className="breaks">
            {trouble}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
