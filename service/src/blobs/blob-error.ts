/** Failures of a blob store, and the keys it accepts. */

/** Temporary, or to be fixed by the operator: out of space, unreachable, access denied. Repeating the request may succeed. */
export class BlobStoreUnavailable extends Error {
  override readonly name = "BlobStoreUnavailable";

  constructor(location: string, cause: unknown) {
    super(`The blob store ${location} failed: ${reasonOf(cause)}`, { cause });
  }
}

export const isBlobStoreUnavailable = (error: unknown): boolean => error instanceof BlobStoreUnavailable;

/** fetch reports a network error only as the cause of its own. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : String(message);
}

/** Safe as a path and in a URL: no segment is empty or begins with a dot. */
const KEY = /^[a-z0-9][a-z0-9.-]*(\/[a-z0-9][a-z0-9.-]*)*$/;

export const isBlobKey = (key: string): boolean => key.length <= 200 && KEY.test(key);

export function checkedKey(key: string): string {
  if (!isBlobKey(key)) throw new Error(`not a key of a blob: ${JSON.stringify(key)}`);
  return key;
}
