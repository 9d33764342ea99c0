/** One webhook endpoint: deliveries, settings, secret, deletion. */

import type { WebhookEndpoint } from "@mailvet/contract";
import { Alert, Anchor, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { isMissing, MissingItem } from "../../components/missing-item.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { messages } from "./messages.tsx";
import { WebhookActions } from "./webhook-actions.tsx";
import { WebhookDangerZone } from "./webhook-danger-zone.tsx";
import { nameOf } from "./webhook-name.ts";
import { webhookQuery } from "./webhook-queries.ts";
import { WebhookSettings } from "./webhook-settings.tsx";
import { WebhookStatus, webhookProblem } from "./webhook-status.tsx";

export function Page() {
  const { webhookId = "" } = useParams({ strict: false });
  const { data: webhook, error, refetch } = useQuery(webhookQuery(webhookId));
  return (
    <>
      <Anchor component={Link} to="/webhooks" size="sm" display="inline-block" mb="sm">
        {messages.allEndpoints}
      </Anchor>
      {isMissing(error) ? (
        <MissingItem texts={messages.notFound} to="/webhooks" />
      ) : (
        <WebhookView webhook={webhook} error={error} onRetry={() => void refetch()} />
      )}
    </>
  );
}

function WebhookView({ webhook, error, onRetry }: WebhookViewProps) {
  const problem = webhook && webhookProblem(webhook);
  return (
    <>
      <PageHeader
        title={webhook ? nameOf(webhook) : messages.endpoint}
        actions={webhook && <WebhookActions webhook={webhook} />}
      >
        {webhook && (
          <span className="breaks">
            <WebhookStatus webhook={webhook} /> · {webhook.url}
          </span>
        )}
      </PageHeader>
      {error && <ErrorAlert error={error} onRetry={onRetry} />}
      {!webhook && !error && <Loading />}
      {webhook && (
        <Stack gap="lg">
          {problem && (
            <Alert color="yellow" role="status">
              {problem}
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

type WebhookViewProps = {
  webhook: WebhookEndpoint | undefined;
  error: Error | null;
  onRetry: () => void;
};
