/** Buttons of an endpoint: enable, disable, send a test event. */

import type { WebhookEndpoint } from "@mailvet/contract";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { service } from "../../queries.ts";
import { messages } from "./messages.tsx";
import { webhooksChanged } from "./webhook-queries.ts";

export function WebhookActions({ webhook: { id, is_enabled } }: { webhook: WebhookEndpoint }) {
  const toggle = useMutation({
    mutationFn: () => service.webhooks.update(id, { isEnabled: !is_enabled }),
    onSuccess: webhooksChanged,
  });
  const test = useMutation({ mutationFn: () => service.webhooks.test(id), onSettled: webhooksChanged });
  const error = toggle.error ?? test.error;
  return (
    <Stack gap="xs" maw={420}>
      <Group gap="sm">
        <Button disabled={!is_enabled} loading={test.isPending} onClick={() => test.mutate()}>
          {messages.actions.test}
        </Button>
        <Button variant="default" loading={toggle.isPending} onClick={() => toggle.mutate()}>
          {is_enabled ? messages.actions.disable : messages.actions.enable}
        </Button>
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {test.isSuccess && is_enabled && messages.actions.testSent}
      </Text>
      {error && <ErrorAlert error={error} />}
    </Stack>
  );
}
