/** On, off, and a message to try it. */
import type { WebhookEndpoint } from "@mailvet/contract";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { service } from "../../queries.ts";
import { ErrorAlert } from "../../shared/error-alert.tsx";
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
          Send a test event
        </Button>
        <Button variant="default" loading={toggle.isPending} onClick={() => toggle.mutate()}>
          {is_enabled ? "Switch off" : "Switch on"}
        </Button>
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {test.isSuccess && is_enabled && "A test event is on its way. What came of it is below."}
      </Text>
      {error && <ErrorAlert error={error} />}
    </Stack>
  );
}
