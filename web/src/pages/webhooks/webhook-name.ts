/** Display name of a webhook endpoint. */
import type { WebhookEndpoint } from "@mailvet/contract";

/** Its description, or else the host of its URL. */
export function nameOf({ description, url }: Pick<WebhookEndpoint, "description" | "url">): string {
  return description || hostOf(url);
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
