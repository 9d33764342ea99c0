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

/** Spending that takes a balance below this is told as credits.low. */
export const LOW_CREDITS = 100;

export const WebhookEndpoint = Type.Object({
  id: Uuid("Identifies the endpoint."),
  url: Type.String({ format: "uri", description: "Where messages are sent to." }),
  description: Type.String({ description: "For yourself." }),
  events: Type.Array(OneOf(WEBHOOK_EVENTS), { description: "Empty means every event." }),
  is_enabled: Type.Boolean({ description: "Whether messages are sent." }),
  disabled_reason: Nullable(Type.String(), "Why we switched it off; null if its owner did, or if it is on."),
  failing_since: Nullable(Moment("Since when nothing has arrived there.")),
  created_at: Moment("When it was made."),
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

/** The answer to making an endpoint and to changing its secret: the only times it is shown. */
export const WebhookWithSecret = Type.Object({
  ...WebhookEndpoint.properties,
  secret: Type.String({ description: "whsec_ and the key that signs every message, in base64." }),
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
  id: Uuid("The webhook-id header of every attempt."),
  event: OneOf(WEBHOOK_EVENTS),
  state: OneOf(DELIVERY_STATES),
  attempts: Count("How often it was tried."),
  response_status: Nullable(Type.Integer({ description: "Of the last attempt." })),
  trouble: Nullable(Type.String({ description: "Why the last attempt failed." })),
  created_at: Moment("When it happened."),
  last_attempt_at: Nullable(Moment("When it was last tried.")),
  next_attempt_at: Nullable(Moment("When it is tried again.")),
  message: Type.String({ description: "The body that was signed and sent." }),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const DeliveryListQuery = Type.Object({ ...Paging, state: Type.Optional(OneOf(DELIVERY_STATES)) });
export type DeliveryListQuery = Static<typeof DeliveryListQuery>;

/** The body that is signed and sent. */
export const WebhookMessage = Type.Object({
  type: OneOf(WEBHOOK_EVENTS),
  timestamp: Moment("When it happened."),
  data: Type.Record(Type.String(), Type.Unknown()),
});
export type WebhookMessage = Static<typeof WebhookMessage>;
