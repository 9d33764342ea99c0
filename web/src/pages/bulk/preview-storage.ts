/**
 * Previews of unconfirmed uploads in session storage, so that a reload does not need the file again.
 *
 * A preview contains rows of the customer's list. It is kept in this tab only, read by its account only, and removed
 * when confirmed, discarded or expired.
 */
import type { UploadPreview } from "@mailvet/contract";

type StoredPreview = { accountId: string; preview: UploadPreview };

const PREFIX = "mailvet.upload.";

export function readPreview(uploadId: string, accountId: string): UploadPreview | undefined {
  const stored = read(PREFIX + uploadId);
  return stored && stored.accountId === accountId && !isExpired(stored) ? stored.preview : undefined;
}

/** False where the browser has no session storage. */
export function storePreview(preview: UploadPreview, accountId: string): boolean {
  try {
    sessionStorage.setItem(
      PREFIX + preview.upload_id,
      JSON.stringify({ accountId, preview } satisfies StoredPreview),
    );
    return true;
  } catch {
    return false;
  }
}

export function removePreview(uploadId: string): void {
  attempt(() => sessionStorage.removeItem(PREFIX + uploadId));
}

/** Removes expired previews and those of other accounts. */
export function removeStalePreviews(accountId: string): void {
  attempt(() => {
    for (const name of Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX))) {
      const stored = read(name);
      if (!stored || stored.accountId !== accountId || isExpired(stored)) sessionStorage.removeItem(name);
    }
  });
}

function isExpired({ preview }: StoredPreview): boolean {
  return Date.parse(preview.expires_at) <= Date.now();
}

function read(name: string): StoredPreview | undefined {
  return (
    attempt(() => JSON.parse(sessionStorage.getItem(name) ?? "null") as StoredPreview | null) ?? undefined
  );
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
