/**
 * The preview of an upload while nobody has confirmed it, so that a reload of the page does not ask for the file again.
 *
 * It holds rows of somebody's list: it stays in this tab, only its owner gets to see it, and it goes once it is of no
 * more use.
 */
import type { UploadPreview } from "@mailvet/contract";

type Kept = { accountId: string; preview: UploadPreview };

const PREFIX = "mailvet.upload.";

export function readPreview(uploadId: string, accountId: string): UploadPreview | undefined {
  const kept = read(PREFIX + uploadId);
  return kept && kept.accountId === accountId && !isOver(kept) ? kept.preview : undefined;
}

/** Whether it could be kept: some browsers allow it to nobody. */
export function storePreview(preview: UploadPreview, accountId: string): boolean {
  try {
    sessionStorage.setItem(PREFIX + preview.upload_id, JSON.stringify({ accountId, preview } satisfies Kept));
    return true;
  } catch {
    return false;
  }
}

export function removePreview(uploadId: string): void {
  attempt(() => sessionStorage.removeItem(PREFIX + uploadId));
}

/** What has expired, or belongs to whoever used this tab before. */
export function removeStalePreviews(accountId: string): void {
  attempt(() => {
    for (const name of Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX))) {
      const kept = read(name);
      if (!kept || kept.accountId !== accountId || isOver(kept)) sessionStorage.removeItem(name);
    }
  });
}

function isOver({ preview }: Kept): boolean {
  return Date.parse(preview.expires_at) <= Date.now();
}

function read(name: string): Kept | undefined {
  return attempt(() => JSON.parse(sessionStorage.getItem(name) ?? "null") as Kept | null) ?? undefined;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
