/**
 * Verifies webhook messages (Standard Webhooks 1.0, HMAC-SHA256) with the Web Crypto API, so it also runs in edge workers.
 *
 * Why not the standardwebhooks package: docs/decisions/0024-own-webhook-verification.md.
 */
import type { WebhookMessage } from "@mailvet/contract";

/** The message is not from the service, or was changed, or is too old. */
export class InvalidWebhook extends Error {
  override readonly name = "InvalidWebhook";
}

export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

export type VerifyOptions = {
  /** Older messages are refused, because they may be replayed; newer ones have a wrong clock. Default: 300. */
  toleranceSeconds?: number | undefined;
};

const TOLERANCE_SECONDS = 300;

/**
 * Returns the message of a delivery, or throws InvalidWebhook. `body` is the request body as it was received, not parsed
 * and encoded again. While a secret is being replaced, give both.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const id = headerIn(headers, "webhook-id");
  const timestamp = headerIn(headers, "webhook-timestamp");
  const signatures = headerIn(headers, "webhook-signature").split(" ");
  if (id === "" || !/^\d+$/.test(timestamp) || signatures[0] === "")
    throw new InvalidWebhook("the headers webhook-id, webhook-timestamp or webhook-signature are missing");
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new InvalidWebhook("the timestamp is too old or too new");

  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const one of typeof secret === "string" ? [secret] : secret) {
    const key = await keyIn(one);
    for (const signature of signatures) {
      const bytes = signature.startsWith("v1,") ? bytesIn(signature.slice("v1,".length)) : undefined;
      // In constant time.
      if (bytes && (await crypto.subtle.verify("HMAC", key, bytes, signed))) return JSON.parse(text);
    }
  }
  throw new InvalidWebhook("no signature matches");
}

function headerIn(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  return String(found ?? "");
}

async function keyIn(secret: string): Promise<CryptoKey> {
  const bytes = bytesIn(secret.replace(/^whsec_/, ""));
  if (!bytes?.length) throw new InvalidWebhook("the secret is not whsec_ followed by base64");
  return await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** Undefined unless it is base64. */
function bytesIn(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
