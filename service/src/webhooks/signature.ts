/** Message signatures as specified by Standard Webhooks 1.0: HMAC-SHA256 with the endpoint's secret. */
import { createHmac, randomBytes } from "node:crypto";

/** One signature per secret; a receiver needs to know only one of them. */
export function signedHeaders(id: string, sentAt: Date, body: string, secrets: readonly string[]) {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const signature = createHmac("sha256", keyIn(secret)).update(`${id}.${timestamp}.${body}`);
    return `v1,${signature.digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

const PREFIX = "whsec_";
const KEY_BYTES = 32;

export function makeWebhookSecret(): string {
  return PREFIX + randomBytes(KEY_BYTES).toString("base64");
}

function keyIn(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), "base64");
}
