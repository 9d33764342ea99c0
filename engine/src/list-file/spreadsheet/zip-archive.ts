/**
 * A ZIP archive that arrives as a stream: copied to an anonymous temporary file, because its directory is at the end,
 * and read entry by entry.
 *
 * Entries are streams of bytes and never files, so their names lead nowhere; yauzl refuses absolute and climbing names
 * all the same. Number of entries, decompressed size and compression ratio are limited.
 */
import { close, write } from "node:fs";
import { promisify } from "node:util";
import { type Entry, fromFdPromise, type ZipFile } from "yauzl";
import { ListFileError } from "../list-file-error.ts";
import { openTempFile } from "../temp-file.ts";

export type ZipArchive = {
  /** As in the archive. */
  readonly names: readonly string[];
  /** Names are compared without case, as in Office files. */
  has(name: string): boolean;
  /** Throws a ListFileError if there is no such entry, it is damaged, or it is too large. */
  read(name: string): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
};

/** A workbook has a few parts per sheet. */
const MAX_ENTRIES = 10_000;
/** Worksheets reach 50 : 1, the limit of deflate is 1032 : 1. */
const MAX_RATIO = 200;
const RATIO_CHECKED_FROM_BYTES = 8 * 1024 * 1024;

const closeFd = promisify(close);

export async function openZipArchive(
  bytes: AsyncIterable<Uint8Array>,
  maxEntryBytes: number,
): Promise<ZipArchive> {
  const fd = openTempFile();
  try {
    await copyTo(fd, bytes);
    const zip = await fromFdPromise(fd, { autoClose: false, lazyEntries: true }).catch(rethrow);
    const entries = await entriesOf(zip);
    const find = (name: string) => entries.get(name.toLowerCase());
    return {
      names: [...entries.values()].map(({ fileName }) => fileName),
      has: (name) => find(name) !== undefined,
      read: (name) => readEntry(zip, find(name), name, maxEntryBytes),
      close: () => closeFd(fd),
    };
  } catch (error) {
    await closeFd(fd);
    throw error;
  }
}

const writeBytes = promisify(write);

async function copyTo(fd: number, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const block of bytes) {
    for (let from = 0; from < block.length; ) from += (await writeBytes(fd, block, from)).bytesWritten;
  }
}

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES) throw bomb(`has ${zip.entryCount.toLocaleString("en")} entries`);
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
  } catch (error) {
    rethrow(error);
  }
  return entries;
}

async function* readEntry(
  zip: ZipFile,
  entry: Entry | undefined,
  name: string,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  if (!entry) throw damaged(`${name} is missing`);
  if (entry.isEncrypted()) throw passwordProtected();
  const rethrowNamed = (error: unknown) => rethrow(error, `${entry.fileName}: `);
  const stream = await zip.openReadStreamPromise(entry).catch(rethrowNamed);
  let count = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      count += chunk.length;
      if (count > maxBytes) throw bomb(`expands to more than ${Math.floor(maxBytes / 1024 / 1024)} MiB`);
      if (count > RATIO_CHECKED_FROM_BYTES && count > MAX_RATIO * entry.compressedSize) {
        throw bomb(`expands to more than ${MAX_RATIO} times its size`);
      }
      yield chunk;
    }
  } catch (error) {
    rethrowNamed(error);
  } finally {
    stream.destroy();
  }
}

export function damaged(why: string): ListFileError {
  return new ListFileError(
    "undecodable_file",
    `The spreadsheet is damaged: ${why.replace(/\.$/, "")}. Save it again.`,
  );
}

export function bomb(size: string): ListFileError {
  return new ListFileError("compression_bomb", `The spreadsheet ${size}.`);
}

export function passwordProtected(): ListFileError {
  return new ListFileError(
    "unsupported_file",
    "The spreadsheet is protected with a password. Save it without one, or as CSV.",
  );
}

const SYSTEM_ERROR = /^E[A-Z]+$/;

/** Errors of yauzl and zlib are faults of the file; those of the operating system are not. */
function rethrow(error: unknown, where = ""): never {
  if (error instanceof ListFileError || !(error instanceof Error)) throw error;
  if ("code" in error && SYSTEM_ERROR.test(String(error.code))) throw error;
  // The directory at the end is what yauzl looks for first.
  if (error.message.startsWith("End of central directory")) throw damaged("its end is missing");
  throw damaged(where + error.message.slice(0, 200));
}
