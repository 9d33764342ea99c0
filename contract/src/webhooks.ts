/** Webhooks by the Standard Webhooks 1.0 scheme. */
import { type Static, Type } from "typebox";
import { Count, Moment, Nullable, OneOf, Paging, Sandbox, Uuid } from "./shape.ts";

export const WEBHOOK_EVENTS = [
  "job.completed",
  "job.failed",
  "job.cancelled",
  "job.paused",
  "validation.completed",
  "credits.low",
  "list.changed",
  "api_key.created",
  "api_key.revoked",
  "webhook.test",
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** The event credits.low is sent when a charge takes the balance below this. */
export const LOW_CREDITS = 100;

export const WebhookEndpoint = Type.Object({
  id: Uuid("ID of the endpoint."),
  sandbox: Sandbox,
  url: Type.String({ format: "uri", description: "Target URL." }),
  description: Type.String({ description: "Free text." }),
  events: Type.Array(OneOf(WEBHOOK_EVENTS), { description: "Empty for all events." }),
  is_enabled: Type.Boolean({ description: "Whether events are delivered." }),
  disabled_reason: Nullable(
    Type.String(),
    "Why it was disabled automatically; null if disabled by its owner, or enabled.",
  ),
  failing_since: Nullable(Moment("Time since which all deliveries have failed.")),
  created_at: Moment("Creation time."),
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

/** Response to creating an endpoint and to rotating its secret, the only times the secret is shown. */
export const WebhookWithSecret = Type.Object({
  ...WebhookEndpoint.properties,
  secret: Type.String({ description: "Signing key: whsec_ followed by base64." }),
});
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const CreateWebhookRequest = Type.Object(
  {
    url: Type.String({ format: "uri", maxLength: 2048 }),
    description: Type.Optional(Type.String({ maxLength: 200 })),
    events: Type.Optional(Type.Array(OneOf(WEBHOOK_EVENTS), { uniqueItems: true })),
  },
  { additionalProperties: false },
);
export type CreateWebhookRequest = Static<typeof CreateWebhookRequest>;

export const UpdateWebhookRequest = Type.Object(
  {
    url: Type.Optional(Type.String({ format: "uri", maxLength: 2048 })),
    description: Type.Optional(Type.String({ maxLength: 200 })),
    events: Type.Optional(Type.Array(OneOf(WEBHOOK_EVENTS), { uniqueItems: true })),
    is_enabled: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type UpdateWebhookRequest = Static<typeof UpdateWebhookRequest>;

export const DELIVERY_STATES = ["pending", "delivered", "failed"] as const;

export const WebhookDelivery = Type.Object({
  id: Uuid("webhook-id header of every attempt."),
  event: OneOf(WEBHOOK_EVENTS),
  state: OneOf(DELIVERY_STATES),
  attempts: Count("Number of attempts."),
  response_status: Nullable(Type.Integer({ description: "HTTP status of the last attempt." })),
  trouble: Nullable(Type.String({ description: "Why the last attempt failed." })),
  created_at: Moment("Time of the event."),
  last_attempt_at: Nullable(Moment("Time of the last attempt.")),
  next_attempt_at: Nullable(Moment("Time of the next attempt.")),
  message: Type.String({ description: "Signed body." }),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const DeliveryListQuery = Type.Object(
  { ...Paging, state: Type.Optional(OneOf(DELIVERY_STATES)) },
  { additionalProperties: false },
);
export type DeliveryListQuery = Static<typeof DeliveryListQuery>;

/** The signed body of a delivery. */
export const WebhookMessage = Type.Object({
  type: OneOf(WEBHOOK_EVENTS),
  timestamp: Moment("Time of the event."),
  sandbox: Sandbox,
  data: Type.Record(Type.String(), Type.Unknown()),
});
export type WebhookMessage = Static<typeof WebhookMessage>;
