/**
 * A file that is there under its name only when it is whole: it grows beside it under another one, and never takes
 * the place of a file that is there already unless that was asked for. "-" is standard output.
 */
import { once } from "node:events";
import { rmSync } from "node:fs";
import { access, type FileHandle, link, open, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { badUsage } from "../remote/service.ts";

export type ResultsFile = AsyncDisposable & {
  write(piece: string | Uint8Array): Promise<void>;
  /** Everything is in it. */
  finish(): Promise<void>;
};

export type OutOptions = { out?: string; force?: true };

const STANDARD_OUTPUT = "-";

/** Where results go: where it was said, or beside the list. Says no now to what would fail hours later. */
export async function resultsPath(
  list: string | undefined,
  { out, force }: OutOptions,
  format = "csv",
): Promise<string> {
  if (out === STANDARD_OUTPUT) return out;
  if (out === undefined && (list === undefined || list === "-"))
    throw badUsage("say with --out where the results of standard input go; --out - is standard output");
  const path = out ?? join(dirname(list!), resultsName(basename(list!), format));
  if (!(await isReplaceable(path)))
    throw badUsage(`${path} is no ordinary file: name one with --out; --out - is standard output`);
  if (!force && (await isThere(path)))
    throw badUsage(`${path} is there already: name another file with --out, or replace it with --force`);
  if (!(await isThere(dirname(path)))) throw badUsage(`there is no folder ${dirname(path)} for the results`);
  await using _ = await openResultsFile(path, {}); // whether there can be such a file, only trying tells
  return path;
}

async function isReplaceable(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => true, // nothing is there
  );
}

/** people.csv.gz → people-results.csv */
export function resultsName(listName: string, format: string): string {
  const plain = listName.replace(/\.gz$/i, "");
  const stem = /^\.(csv|tsv|txt|tab|psv)$/i.test(extname(plain)) ? plain.slice(0, -4) : plain;
  // A service's file name is a stranger's text.
  const safe = stem.replace(/[\p{C}/\\:]/gu, "_").replace(/^\.+/, "_");
  return `${cutTo(MAX_NAME_BYTES, safe) || "list"}-results.${format}`;
}

/** Disks take 255 bytes, and more than this comes behind it. */
const MAX_NAME_BYTES = 200;

function cutTo(bytes: number, text: string): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, "");
}

/** A name beside it that says it is not the whole, and that nothing has yet. */
export async function partialPath(path: string): Promise<string> {
  const stem = path.replace(/\.csv$/i, "");
  for (let number = 1; ; number++) {
    const candidate = `${stem}.partial${number === 1 ? "" : `-${number}`}.csv`;
    if (!(await isThere(candidate))) return candidate;
  }
}

export async function openResultsFile(path: string, { force }: OutOptions): Promise<ResultsFile> {
  if (path === STANDARD_OUTPUT) return onStandardOutput;
  const partPath = `${path}.${process.pid}.part`;
  const file = await openPart(partPath);
  let isOpen = true;
  const leave = () => {
    if (isOpen) rmSync(partPath, { force: true });
  };
  process.once("exit", leave); // also when Ctrl-C was pressed twice
  const close = async () => {
    isOpen = false;
    process.off("exit", leave);
    await file.close();
  };
  return {
    async write(piece) {
      await file.writeFile(piece); // appends: each call goes on where the last one ended
    },
    async finish() {
      await file.sync();
      await close();
      await moveInPlace(partPath, path, force);
    },
    async [Symbol.asyncDispose]() {
      if (!isOpen) return;
      await close();
      await unlink(partPath);
    },
  };
}

const onStandardOutput: ResultsFile = {
  async write(piece) {
    if (!process.stdout.write(piece)) await once(process.stdout, "drain");
  },
  finish: async () => {},
  [Symbol.asyncDispose]: async () => {},
};

async function openPart(partPath: string): Promise<FileHandle> {
  try {
    return await open(partPath, "w");
  } catch (error) {
    throw badUsage(`cannot write there: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function moveInPlace(partPath: string, path: string, force: true | undefined): Promise<void> {
  if (force) return await rename(partPath, path);
  try {
    await link(partPath, path); // fails when there is such a file by now, as rename would not
    await unlink(partPath);
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === "EEXIST" || (await isThere(path));
    if (isTaken) throw badUsage(`${path} appeared meanwhile; the results are in ${partPath}`);
    await rename(partPath, path); // a disk without hard links
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
