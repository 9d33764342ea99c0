/** Webhooks by the Standard Webhooks 1.0 scheme. */
import { type Static, Type } from "typebox";
import { Count, Moment, Nullable, OneOf, Paging, Uuid } from "./shape.ts";

export const WEBHOOK_EVENTS = [
  "job.completed",
  "job.failed",
  "job.cancelled",
  "job.paused",
  "validation.completed",
  "credits.low",
  "api_key.created",
  "api_key.revoked",
  "webhook.test",
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** `credits.low` is sent when spending takes the balance below this. */
export const LOW_CREDITS = 100;

export const WebhookEndpoint = Type.Object({
  id: Uuid("ID of the endpoint."),
  url: Type.String({ format: "uri", description: "URL that receives events." }),
  description: Type.String({ description: "Your description of the endpoint." }),
  events: Type.Array(OneOf(WEBHOOK_EVENTS), { description: "Subscribed events. Empty means all." }),
  is_enabled: Type.Boolean({ description: "Whether events are sent." }),
  disabled_reason: Nullable(
    Type.String(),
    "Why it was disabled automatically. Null if you disabled it, or if it is enabled.",
  ),
  failing_since: Nullable(Moment("Time of the first failure since the last successful delivery.")),
  created_at: Moment("When the endpoint was created."),
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

/** Returned when an endpoint is created and when its secret is rotated, and never again. */
export const WebhookWithSecret = Type.Object({
  ...WebhookEndpoint.properties,
  secret: Type.String({ description: "Signing secret: `whsec_` and the key in base64." }),
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
  id: Uuid("ID of the delivery, sent as `webhook-id` with every attempt."),
  event: OneOf(WEBHOOK_EVENTS),
  state: OneOf(DELIVERY_STATES),
  attempts: Count("Number of attempts."),
  response_status: Nullable(Type.Integer({ description: "HTTP status of the last attempt." })),
  trouble: Nullable(Type.String({ description: "Why the last attempt failed." })),
  created_at: Moment("When the event occurred."),
  last_attempt_at: Nullable(Moment("When the last attempt was made.")),
  next_attempt_at: Nullable(Moment("When the next attempt is due.")),
  message: Type.String({ description: "Body of the message." }),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const DeliveryListQuery = Type.Object({ ...Paging, state: Type.Optional(OneOf(DELIVERY_STATES)) });
export type DeliveryListQuery = Static<typeof DeliveryListQuery>;

/** Body of a message. */
export const WebhookMessage = Type.Object({
  type: OneOf(WEBHOOK_EVENTS),
  timestamp: Moment("When the event occurred."),
  data: Type.Record(Type.String(), Type.Unknown()),
});
export type WebhookMessage = Static<typeof WebhookMessage>;
