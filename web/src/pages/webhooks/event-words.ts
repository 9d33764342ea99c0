/** What each event tells, in words. */
import type { WebhookEndpoint, WebhookEvent } from "@mailvet/contract";

export const EVENTS: Readonly<Record<WebhookEvent, string>> = {
  "job.completed": "A job is done, and its results can be fetched.",
  "job.failed": "A job could not be finished.",
  "job.cancelled": "A job was cancelled.",
  "job.paused": "A job was paused.",
  "validation.completed": "A single check that was unknown at first was repeated, and has its result.",
  "credits.low": "The balance has fallen below 100 credits.",
  "api_key.created": "A key was made.",
  "api_key.revoked": "A key was revoked.",
  "webhook.test": "Somebody pressed “Send a test event”.",
};

/** Those one can choose: a test event is sent to every endpoint, whatever it wants. */
export const CHOICES = (Object.keys(EVENTS) as WebhookEvent[]).filter((event) => event !== "webhook.test");

/** An empty list means all of them. */
export function eventsInWords(events: readonly WebhookEvent[]): string {
  return events.length === 0 ? "Every event" : events.join(", ");
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** What its owner calls it, or else where it is. */
export function nameOf({ description, url }: Pick<WebhookEndpoint, "description" | "url">): string {
  return description || hostOf(url);
}
