/** One delivery: attempts, response of the endpoint, message body, resend button. */

import type { WebhookDelivery } from "@mailvet/contract";
import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { service } from "../../queries.ts";
import { messages } from "./messages.tsx";
import { webhooksChanged } from "./webhook-queries.ts";

export function DeliveryDetails({ webhookId, delivery, canReplay }: DeliveryDetailsProps) {
  const replay = useMutation({
    mutationFn: () => service.webhooks.replay(webhookId, delivery.id),
    onSettled: webhooksChanged,
  });
  return (
    <Stack gap="sm">
      <Text size="sm" className="breaks">
        <Attempts delivery={delivery} />
      </Text>
      <Code block className="breaks" style={{ whiteSpace: "pre-wrap" }}>
        {indented(delivery.message)}
      </Code>
      <Text size="xs" c="dimmed" className="breaks">
        {messages.deliveries.id(delivery.id)}
      </Text>
      {replay.error && <ErrorAlert error={replay.error} />}
      <Group>
        <Button
          variant="default"
          size="sm"
          disabled={!canReplay}
          loading={replay.isPending}
          onClick={() => replay.mutate()}
        >
          {delivery.state === "pending" ? messages.deliveries.retryNow : messages.deliveries.resend}
        </Button>
        {!canReplay && (
          <Text size="sm" c="dimmed">
            {messages.deliveries.enableFirst}
          </Text>
        )}
      </Group>
    </Stack>
  );
}

type DeliveryDetailsProps = { webhookId: string; delivery: WebhookDelivery; canReplay: boolean };

function Attempts({ delivery }: { delivery: WebhookDelivery }) {
  const { attempts, last_attempt_at, next_attempt_at, state } = delivery;
  return (
    <>
      {attempts === 0
        ? messages.deliveries.notAttempted
        : messages.deliveries.attempts(attempts, <Timestamp at={last_attempt_at} />, resultOf(delivery))}
      {state === "pending" && next_attempt_at && (
        <> {messages.deliveries.nextAttempt(<Timestamp at={next_attempt_at} />)}</>
      )}
    </>
  );
}

function resultOf({ trouble, response_status }: WebhookDelivery): string {
  if (trouble) return messages.deliveries.trouble(trouble);
  return response_status === null ? "" : messages.deliveries.responded(response_status);
}

/** For display only: the signature covers the message without whitespace. */
function indented(message: string): string {
  try {
    return JSON.stringify(JSON.parse(message), null, 2);
  } catch {
    return message;
  }
}
