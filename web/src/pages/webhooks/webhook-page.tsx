/** One webhook endpoint: what it is set to, and what was sent to it. */
import { Alert, Anchor, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { FailureNote } from "../../parts/failure-note.tsx";
import { PageTitle } from "../../parts/page-title.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { nameOf } from "./event-words.ts";
import { WebhookDanger } from "./webhook-danger.tsx";
import { webhookQuery } from "./webhook-queries.ts";
import { WebhookSettings } from "./webhook-settings.tsx";
import { WebhookState, whyNot } from "./webhook-state.tsx";
import { WebhookSwitches } from "./webhook-switches.tsx";

export function Page() {
  const { webhookId = "" } = useParams({ strict: false });
  const { data: webhook, error, refetch } = useQuery(webhookQuery(webhookId));
  const trouble = webhook && whyNot(webhook);
  return (
    <>
      <Anchor component={Link} to="/webhooks" size="sm" display="inline-block" mb="sm">
        ← All endpoints
      </Anchor>
      <PageTitle
        title={webhook ? nameOf(webhook) : "Webhook"}
        actions={webhook && <WebhookSwitches webhook={webhook} />}
      >
        {webhook && (
          <span className="breaks">
            <WebhookState webhook={webhook} /> {webhook.url}
          </span>
        )}
      </PageTitle>
      {error && <FailureNote error={error} onRetry={() => void refetch()} />}
      {!webhook && !error && <Waiting />}
      {webhook && (
        <Stack gap="lg">
          {trouble && (
            <Alert color="yellow" role="status">
              {trouble}
            </Alert>
          )}
          <DeliveryList webhookId={webhook.id} isEnabled={webhook.is_enabled} />
          <WebhookSettings key={webhook.id} webhook={webhook} />
          <WebhookDanger webhook={webhook} />
        </Stack>
      )}
    </>
  );
}
