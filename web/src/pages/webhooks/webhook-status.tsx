/** Status badge of an endpoint, and the reason when deliveries fail. */

import type { WebhookEndpoint } from "@mailvet/contract";
import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import { Timestamp } from "../../components/timestamp.tsx";
import { messages } from "./messages.tsx";

export function WebhookStatus({ webhook }: { webhook: WebhookEndpoint }) {
  if (!webhook.is_enabled)
    return (
      <Badge component="span" variant="dot" color="gray">
        {messages.status.disabled}
      </Badge>
    );
  return webhook.failing_since ? (
    <Badge component="span" variant="dot" color="yellow">
      {messages.status.failing}
    </Badge>
  ) : (
    <Badge component="span" variant="dot" color="green">
      {messages.status.enabled}
    </Badge>
  );
}

/** Why nothing is delivered; undefined when deliveries succeed or the customer disabled the endpoint. */
export function webhookProblem({ is_enabled, disabled_reason, failing_since }: WebhookEndpoint): ReactNode {
  if (disabled_reason) return messages.status.disabledReason(disabled_reason);
  if (!is_enabled || !failing_since) return undefined;
  return messages.status.failingSince(<Timestamp at={failing_since} isExact />);
}
