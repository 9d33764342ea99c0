/** Endpoints and deliveries in the shape of the API. */
import type { WebhookDelivery, WebhookEndpoint } from "@mailvet/contract";
import type { webhookDeliveries, webhookEndpoints } from "./schema.ts";

export type EndpointRow = typeof webhookEndpoints.$inferSelect;
export type DeliveryRow = typeof webhookDeliveries.$inferSelect;

/** Without the secret. */
export function presentEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    id: row.id,
    ...(row.isTest && { sandbox: true as const }),
    url: row.url,
    description: row.description,
    events: row.events,
    is_enabled: row.isEnabled,
    disabled_reason: row.disabledReason,
    failing_since: row.failingSince?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}

export function presentDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    event: row.event,
    state: row.state,
    attempts: row.attempts,
    response_status: row.responseStatus,
    trouble: row.trouble,
    created_at: row.createdAt.toISOString(),
    last_attempt_at: row.lastAttemptAt?.toISOString() ?? null,
    next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
    message: row.body,
  };
}
