/**
 * Writes a results file atomically: content goes to a .part file that is renamed when complete. An existing file is
 * replaced only with --force. "-" is standard output.
 */
import { rmSync } from "node:fs";
import { access, link, open, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { systemErrorText } from "../output/system-failure.ts";
import { badUsage } from "../remote/service.ts";

export type ResultsFile = AsyncDisposable & {
  write(chunk: string | Uint8Array): Promise<void>;
  /** Call after the last write. */
  finish(): Promise<void>;
  /** After a failed write: keeps what was written before it under another name. False if that is nothing. */
  keepAs(path: string): Promise<boolean>;
};

export type OutOptions = { out?: string; force?: true };

const STANDARD_OUTPUT = "-";

/** Path for the results: --out, or beside the list. Rejects at once any path that would fail after hours of work. */
export async function resultsPath(
  list: string | undefined,
  { out, force }: OutOptions,
  format = "csv",
  content = "results",
): Promise<string> {
  if (out === STANDARD_OUTPUT) return out;
  if (out === undefined && (list === undefined || list === "-"))
    throw badUsage("reading from standard input needs --out FILE; --out - writes to standard output");
  const path = out ?? join(dirname(list!), resultsName(basename(list!), format, content));
  if (!(await isReplaceable(path)))
    throw badUsage(
      `${path} is not a regular file; choose one with --out, or use --out - for standard output`,
    );
  if (!force && (await exists(path)))
    throw badUsage(`${path} already exists; choose another file with --out, or replace it with --force`);
  if (!(await exists(dirname(path)))) throw badUsage(`directory ${dirname(path)} does not exist`);
  await testThatItOpens(path);
  return path;
}

async function testThatItOpens(path: string): Promise<void> {
  try {
    await using _ = await openResultsFile(path, {});
  } catch (error) {
    throw badUsage(
      `cannot write the results to ${path}: ${systemErrorText(error)}; choose a file with --out`,
    );
  }
}

async function isReplaceable(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => true, // does not exist
  );
}

/** people.csv.gz → people-results.csv, or what else it contains. */
export function resultsName(listName: string, format: string, content = "results"): string {
  const plain = listName.replace(/\.gz$/i, "");
  const extension = extname(plain);
  const stem = /^\.(csv|tsv|txt|tab|psv|xlsx|ods)$/i.test(extension)
    ? plain.slice(0, -extension.length)
    : plain;
  // The file name may come from a service and is not trusted.
  const safe = stem.replace(/[\p{C}/\\:]/gu, "_").replace(/^\.+/, "_");
  return `${cutTo(MAX_NAME_BYTES, safe) || "list"}-${content}.${format}`;
}

/** File systems allow 255 bytes; suffixes are appended. */
const MAX_NAME_BYTES = 200;

function cutTo(bytes: number, text: string): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, "");
}

/** An unused name beside it for incomplete results. */
export async function partialPath(path: string): Promise<string> {
  const stem = path.replace(/(\.partial(-\d+)?)?\.csv$/i, "");
  for (let number = 1; ; number++) {
    const candidate = `${stem}.partial${number === 1 ? "" : `-${number}`}.csv`;
    if (!(await exists(candidate))) return candidate;
  }
}

export async function openResultsFile(path: string, { force }: OutOptions): Promise<ResultsFile> {
  if (path === STANDARD_OUTPUT) return onStandardOutput;
  const partPath = `${path}.${process.pid}.part`;
  const file = await open(partPath, "w");
  let isOpen = true;
  let writtenBytes = 0;
  const removePart = () => {
    if (isOpen) rmSync(partPath, { force: true });
  };
  process.once("exit", removePart); // also after a second Ctrl-C
  const close = async () => {
    isOpen = false;
    process.off("exit", removePart);
    await file.close();
  };
  return {
    async write(chunk) {
      await file.writeFile(chunk); // on a FileHandle, appends at the current position
      writtenBytes += Buffer.byteLength(chunk);
    },
    async finish() {
      await file.sync();
      await close();
      await moveInPlace(partPath, path, force);
    },
    async keepAs(name) {
      if (writtenBytes === 0) return false;
      await file.truncate(writtenBytes); // the failed write may have ended within a row
      await close();
      await moveInPlace(partPath, name, undefined);
      return true;
    },
    async [Symbol.asyncDispose]() {
      if (!isOpen) return;
      await close();
      await rm(partPath, { force: true }); // its folder may be gone
    },
  };
}

const onStandardOutput: ResultsFile = {
  async write(chunk) {
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  },
  finish: async () => {},
  keepAs: async () => false,
  [Symbol.asyncDispose]: async () => {},
};

async function moveInPlace(partPath: string, path: string, force: true | undefined): Promise<void> {
  if (force) return await rename(partPath, path);
  try {
    await link(partPath, path); // unlike rename, fails if the file exists by now
    await unlink(partPath);
  } catch (error) {
    const isConflict = (error as NodeJS.ErrnoException).code === "EEXIST" || (await exists(path));
    if (isConflict) throw badUsage(`${path} was created by another program; the results are in ${partPath}`);
    await rename(partPath, path); // file system without hard links
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
