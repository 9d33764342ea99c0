/**
 * Blobs as files of a directory, readable by the service's user only.
 *
 * A file is written under a temporary name, flushed, and renamed; then the directory is flushed. After a power failure it
 * is complete or absent.
 */
import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { BlobStoreUnavailable, checkedKey, isBlobKey } from "./blob-error.ts";
import type { BlobEntry, BlobStore } from "./blob-store.ts";

export function createDirectoryStore(directory: string): BlobStore {
  const pathOf = (key: string) => join(directory, ...checkedKey(key).split("/"));

  async function run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new BlobStoreUnavailable(directory, error);
    }
  }

  return {
    location: directory,
    put(key, bytes) {
      const path = pathOf(key);
      return run(() => writeDurably(path, bytes));
    },
    get(key) {
      const path = pathOf(key);
      return run(() => readFile(path).catch(undefinedIfAbsent));
    },
    delete(key) {
      const path = pathOf(key);
      return run(async () => {
        await rm(path, { force: true });
        await rmdir(dirname(path)).catch(() => {}); // not empty, in most cases
      });
    },
    async *list(folder) {
      const path = pathOf(folder);
      yield* await run(() => filesBelow(directory, path));
    },
  };
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder);
  const unfinished = `${path}.${randomBytes(6).toString("hex")}.unfinished`;
  try {
    const file = await open(unfinished, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
  await flush(folder);
}

/** A new directory is durable when the one above it is flushed. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = folder; ; made = dirname(made)) {
    await flush(dirname(made));
    if (made === first) return;
  }
}

async function flush(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Folder by folder: one that is deleted meanwhile hides no other. */
async function filesBelow(directory: string, folder: string): Promise<BlobEntry[]> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(undefinedIfAbsent)) ?? [];
  const found: BlobEntry[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await filesBelow(directory, path)));
    const key = relative(directory, path).split(sep).join("/");
    // Files with other names are not ours: those of NFS for open files (.nfs…), of a desktop, of a snapshot.
    if (!entry.isFile() || !isBlobKey(key)) continue;
    const status = await stat(path).catch(undefinedIfAbsent);
    if (status) found.push({ key, modifiedAt: status.mtime }); // else deleted meanwhile
  }
  return found;
}

function undefinedIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
