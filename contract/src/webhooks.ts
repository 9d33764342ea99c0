/** Webhooks by the Standard Webhooks 1.0 scheme. */
import { type Static, Type } from "typebox";
import { Count, Moment, Nullable, OneOf, Uuid } from "./shape.ts";

export const WEBHOOK_EVENTS = [
  "job.completed",
  "job.failed",
  "job.cancelled",
  "job.paused",
  "credits.low",
  "api_key.created",
  "api_key.revoked",
  "webhook.test",
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const WebhookEndpoint = Type.Object({
  id: Uuid("Identifies the endpoint."),
  url: Type.String({ format: "uri" }),
  description: Type.String(),
  events: Type.Array(OneOf(WEBHOOK_EVENTS), { description: "Empty means every event." }),
  is_enabled: Type.Boolean(),
  created_at: Moment("When it was made."),
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

export const CreateWebhookRequest = Type.Object(
  {
    url: Type.String({ format: "uri", maxLength: 2048 }),
    description: Type.Optional(Type.String({ maxLength: 200 })),
    events: Type.Optional(Type.Array(OneOf(WEBHOOK_EVENTS), { uniqueItems: true })),
  },
  { additionalProperties: false },
);
export type CreateWebhookRequest = Static<typeof CreateWebhookRequest>;

export const DELIVERY_STATES = ["pending", "delivered", "failed"] as const;

export const WebhookDelivery = Type.Object({
  id: Uuid("The webhook-id header of every attempt."),
  event: OneOf(WEBHOOK_EVENTS),
  state: OneOf(DELIVERY_STATES),
  attempts: Count("How often it was tried."),
  response_status: Nullable(Type.Integer()),
  created_at: Moment("When it happened."),
  next_attempt_at: Nullable(Moment("When it is tried again.")),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** The body that is signed and sent. */
export const WebhookMessage = Type.Object({
  type: OneOf(WEBHOOK_EVENTS),
  timestamp: Moment("When it happened."),
  data: Type.Record(Type.String(), Type.Unknown()),
});
export type WebhookMessage = Static<typeof WebhookMessage>;
