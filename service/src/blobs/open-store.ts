/** Opens the blob store of the settings. */
import type { BlobStore } from "./blob-store.ts";
import { createDirectoryStore } from "./directory-store.ts";
import type { S3Settings } from "./s3-store.ts";

export type BlobConfig = { directory: string } | { s3: S3Settings };

/** The S3 client is loaded only where it is used. */
export async function openBlobStore(config: BlobConfig): Promise<BlobStore> {
  if ("directory" in config) return createDirectoryStore(config.directory);
  const { createS3Store } = await import("./s3-store.ts");
  return createS3Store(config.s3);
}
