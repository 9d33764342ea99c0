/** Whether messages reach an endpoint, and why not. */
import type { WebhookEndpoint } from "@mailvet/contract";
import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import { Timestamp } from "../../shared/timestamp.tsx";

export function WebhookStatus({ webhook }: { webhook: WebhookEndpoint }) {
  if (!webhook.is_enabled)
    return (
      <Badge component="span" color="gray">
        Switched off
      </Badge>
    );
  return webhook.failing_since ? (
    <Badge component="span" color="yellow">
      Failing
    </Badge>
  ) : (
    <Badge component="span" color="teal">
      On
    </Badge>
  );
}

/** Why nothing arrives there; undefined when all is well, or when its owner wants it so. */
export function whyNot({ is_enabled, disabled_reason, failing_since }: WebhookEndpoint): ReactNode {
  if (disabled_reason) return `We have switched it off. ${disabled_reason}`;
  if (!is_enabled || !failing_since) return undefined;
  return (
    <>
      Nothing has arrived there since <Timestamp at={failing_since} />.
    </>
  );
}
