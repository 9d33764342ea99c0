/**
 * A random Idempotency-Key: requests with the same key are executed and charged once.
 *
 * Not crypto.randomUUID, which browsers provide only in secure contexts: pages served over plain http lack it.
 */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
