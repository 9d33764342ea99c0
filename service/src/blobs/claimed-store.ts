/**
 * Makes sure at start that the blob store is the one of this database.
 *
 * The first process writes an id into both. A process that does not find it has another directory or bucket than the
 * others: it could not read their files, and would delete those of another installation as orphans.
 */
import { eq } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { BlobStoreUnavailable } from "./blob-error.ts";
import type { BlobStore } from "./blob-store.ts";
import { blobStores } from "./schema.ts";

/** For the operator. */
export class WrongBlobStore extends Error {
  override readonly name = "WrongBlobStore";
}

/** Its content is the id of the installation. */
export const INSTALLATION_KEY = "installation";

export async function claimBlobStore({ orm }: Pick<Database, "orm">, blobs: BlobStore): Promise<void> {
  const found = await idIn(blobs);
  await orm.insert(blobStores).values({}).onConflictDoNothing();
  // The row lock orders first starts: the second one finds claimedAt, and must find the blob as well.
  await orm.transaction(async (tx) => {
    const [row] = await tx.select().from(blobStores).for("update");
    const { id, claimedAt } = row!;
    const current = found ?? (await idIn(blobs));
    requireSame(blobs, id, current, claimedAt !== null);
    if (claimedAt !== null) return;
    await blobs.put(INSTALLATION_KEY, Buffer.from(`${id}\n`));
    await tx.update(blobStores).set({ claimedAt: new Date() }).where(eq(blobStores.id, id));
  });
}

/** Throws when the store does not answer, or has lost the id: a directory that is no longer mounted. */
export async function checkBlobStore(blobs: BlobStore): Promise<void> {
  if ((await idIn(blobs)) === undefined)
    throw new BlobStoreUnavailable(blobs.location, new Error(`${INSTALLATION_KEY} is missing`));
}

function requireSame(blobs: BlobStore, id: string, found: string | undefined, isClaimed: boolean): void {
  if (found === id || (found === undefined && !isClaimed)) return;
  if (found !== undefined) {
    throw new WrongBlobStore(
      `The files in ${blobs.location} belong to another database. Use a separate DATA_DIR or S3_BUCKET for each installation.`,
    );
  }
  throw new WrongBlobStore(
    `The uploaded files of this database are not in ${blobs.location}. All processes need the same DATA_DIR (a shared directory) or the same S3_BUCKET. If those files are lost for good, store ${id} there under the name ${INSTALLATION_KEY}.`,
  );
}

async function idIn(blobs: BlobStore): Promise<string | undefined> {
  return (await blobs.get(INSTALLATION_KEY))?.toString("utf8").trim();
}
