/** The signed body of a webhook delivery, by event. */
import { type Static, type TProperties, Type } from "typebox";
import { Job } from "./jobs.ts";
import { SavedList } from "./lists.ts";
import { Count, Moment, Sandbox, Uuid } from "./shape.ts";
import { ValidationResult } from "./validation.ts";
import type { WebhookEvent } from "./webhooks.ts";

const messageOf = <E extends WebhookEvent, D extends TProperties>(event: E, data: D) =>
  Type.Object({
    type: Type.Enum([event]),
    timestamp: Moment("Time of the event."),
    sandbox: Sandbox,
    data: Type.Object(data),
  });

const key = {
  key_id: Uuid("ID of the key."),
  name: Type.String({ description: "Name of the key." }),
  prefix: Type.String({ description: "First characters of the key." }),
};

export const JobCompletedMessage = messageOf("job.completed", { job: Job });
export const JobFailedMessage = messageOf("job.failed", { job: Job });
export const JobCancelledMessage = messageOf("job.cancelled", { job: Job });
export const JobPausedMessage = messageOf("job.paused", { job: Job });
export const ValidationCompletedMessage = messageOf("validation.completed", {
  request_id: Uuid("Of the request whose answer was a temporary `unknown`."),
  result: ValidationResult,
});
export const CreditsLowMessage = messageOf("credits.low", {
  balance: Count("Available credits."),
  threshold: Count("The event is sent when a charge takes the balance below this."),
});
export const ListChangedMessage = messageOf("list.changed", { list: SavedList });
export const ApiKeyCreatedMessage = messageOf("api_key.created", key);
export const ApiKeyRevokedMessage = messageOf("api_key.revoked", key);
export const WebhookTestMessage = messageOf("webhook.test", { webhook_id: Uuid("ID of the endpoint.") });

/** Event → [schema of its message, when it is sent]. */
export const WEBHOOK_MESSAGES = {
  "job.completed": [JobCompletedMessage, "A job has finished."],
  "job.failed": [JobFailedMessage, "A job has failed; `job.error` says why."],
  "job.cancelled": [JobCancelledMessage, "A job was cancelled."],
  "job.paused": [JobPausedMessage, "A job was paused, by its owner or by a suspension of the account."],
  "validation.completed": [
    ValidationCompletedMessage,
    "The result of a single check whose first answer was a temporary `unknown`.",
  ],
  "credits.low": [CreditsLowMessage, "A charge has taken the balance below the threshold."],
  "list.changed": [ListChangedMessage, "A scheduled run of a saved list has found changes."],
  "api_key.created": [ApiKeyCreatedMessage, "An API key was created."],
  "api_key.revoked": [ApiKeyRevokedMessage, "An API key was revoked."],
  "webhook.test": [WebhookTestMessage, "Sent on request, to test an endpoint."],
} as const satisfies Record<WebhookEvent, readonly [unknown, string]>;

/** The message of an event, as its receiver parses it. */
export type WebhookMessageOf<E extends WebhookEvent> = Static<(typeof WEBHOOK_MESSAGES)[E][0]>;
