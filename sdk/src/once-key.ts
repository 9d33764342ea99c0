/**
 * A fresh Idempotency-Key: whatever is sent under it, however often, is done and charged once.
 *
 * Not crypto.randomUUID, which browsers keep from pages that came over plain http, as in a company's own network.
 */
export function onceKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
