/** One message: how often it was tried, what the receiver said, and the message itself. */
import type { WebhookDelivery } from "@mailvet/contract";
import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { service } from "../../queries.ts";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { plural } from "../../shared/number-format.ts";
import { Timestamp } from "../../shared/timestamp.tsx";
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
        webhook-id {delivery.id}
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
          {delivery.state === "pending" ? "Try now" : "Send it again"}
        </Button>
        {!canReplay && (
          <Text size="sm" c="dimmed">
            Switch the endpoint on first.
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
      {attempts === 0 ? (
        "Not tried yet."
      ) : (
        <>
          {plural(attempts, "attempt")}, the last <Timestamp at={last_attempt_at} />. {outcomeOf(delivery)}
        </>
      )}
      {state === "pending" && next_attempt_at && (
        <>
          {" "}
          Next attempt <Timestamp at={next_attempt_at} />.
        </>
      )}
    </>
  );
}

function outcomeOf({ trouble, response_status }: WebhookDelivery): string {
  if (trouble) return trouble;
  return response_status === null ? "" : `It answered ${response_status}.`;
}

/** For reading; what was signed is the same without the blanks. */
function indented(message: string): string {
  try {
    return JSON.stringify(JSON.parse(message), null, 2);
  } catch {
    return message;
  }
}
