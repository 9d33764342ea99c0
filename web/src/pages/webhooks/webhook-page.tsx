/** One webhook endpoint: what it is set to, and what was sent to it. */
import { Alert, Anchor, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { PageHeader } from "../../shared/page-header.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { nameOf } from "./event-words.ts";
import { WebhookActions } from "./webhook-actions.tsx";
import { WebhookDangerZone } from "./webhook-danger-zone.tsx";
import { webhookQuery } from "./webhook-queries.ts";
import { WebhookSettings } from "./webhook-settings.tsx";
import { WebhookStatus, whyNot } from "./webhook-status.tsx";

export function Page() {
  const { webhookId = "" } = useParams({ strict: false });
  const { data: webhook, error, refetch } = useQuery(webhookQuery(webhookId));
  const trouble = webhook && whyNot(webhook);
  return (
    <>
      <Anchor component={Link} to="/webhooks" size="sm" display="inline-block" mb="sm">
        ← All endpoints
      </Anchor>
      <PageHeader
        title={webhook ? nameOf(webhook) : "Webhook"}
        actions={webhook && <WebhookActions webhook={webhook} />}
      >
        {webhook && (
          <span className="breaks">
            <WebhookStatus webhook={webhook} /> {webhook.url}
          </span>
        )}
      </PageHeader>
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!webhook && !error && <Loading />}
      {webhook && (
        <Stack gap="lg">
          {trouble && (
            <Alert color="yellow" role="status">
              {trouble}
            </Alert>
          )}
          <DeliveryList webhookId={webhook.id} isEnabled={webhook.is_enabled} />
          <WebhookSettings key={webhook.id} webhook={webhook} />
          <WebhookDangerZone webhook={webhook} />
        </Stack>
      )}
    </>
  );
}
