/**
 * Storage of files outside the database: a directory by default, or an S3-compatible object storage.
 *
 * A blob is a few megabytes at most and is written and read as a whole, so that nothing is ever half stored and a retry
 * is a repetition. Larger files are several blobs (uploads/upload-files.ts).
 * docs/decisions/0018-blobs.md has the reasons and the figures.
 */
export type BlobStore = {
  /** For people: the directory, or the address of the bucket. */
  readonly location: string;
  /** Durable when it resolves. Replaces a blob of the same key; after a failure that one is unchanged. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined: there is none. */
  get(key: string): Promise<Buffer | undefined>;
  /** No error if there is none. */
  delete(key: string): Promise<void>;
  /** All blobs below this folder, such as "uploads". Interrupted writes are listed too, so that they can be deleted. */
  list(folder: string): AsyncIterable<BlobEntry>;
};

export type BlobEntry = { key: string; modifiedAt: Date };
