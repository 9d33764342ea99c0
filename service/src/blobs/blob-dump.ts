/** Blobs on their way into the file of an export, and out of it into another store. */
import type { DumpedBlob } from "../db/dump.ts";
import type { BlobStore } from "./blob-store.ts";
import { INSTALLATION_KEY, WrongBlobStore } from "./claimed-store.ts";

/** The id of the installation first, then everything below these folders. */
export async function* exportBlobs(blobs: BlobStore, folders: readonly string[]): AsyncGenerator<DumpedBlob> {
  const id = await blobs.get(INSTALLATION_KEY);
  if (id) yield { key: INSTALLATION_KEY, bytes: id };
  for (const folder of folders) {
    for await (const { key } of blobs.list(folder)) {
      const bytes = await blobs.get(key);
      if (bytes) yield { key, bytes };
    }
  }
}

/** The store may be that of the exported installation, or an unused one. */
export async function importBlob(blobs: BlobStore, { key, bytes }: DumpedBlob): Promise<void> {
  if (key === INSTALLATION_KEY) {
    const current = await blobs.get(INSTALLATION_KEY);
    if (current && !current.equals(bytes)) {
      throw new WrongBlobStore(
        `The files in ${blobs.location} belong to another database. Import with another DATA_DIR or S3_BUCKET.`,
      );
    }
  }
  await blobs.put(key, bytes);
}
