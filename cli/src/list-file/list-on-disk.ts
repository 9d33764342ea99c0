/**
 * A list that can be read as often as needed: a file, or what came through a pipe, kept in a nameless file until we
 * end. It stays open all the time, so that another file in its place changes nothing.
 */
import { close, createReadStream, fstatSync, open } from "node:fs";
import { Socket } from "node:net";
import { promisify } from "node:util";
import { CommanderError } from "commander";
import { Interrupted, unlessInterrupted } from "../interruption.ts";
import { openNamelessFile, writeAll } from "./temp-file.ts";

export type ListOnDisk = AsyncDisposable & {
  /** From its beginning. */
  read(): AsyncIterable<Uint8Array>;
  /** Throws when it is no longer what it was when it was opened. */
  assertUnchanged(): void;
};

const PIECE_BYTES = 256 * 1024;

export async function openListOnDisk(list: string, signal: AbortSignal): Promise<ListOnDisk> {
  const fd = await openList(list, signal);
  const state = stateOf(fd);
  return {
    read: () => createReadStream("", { fd, start: 0, autoClose: false, highWaterMark: PIECE_BYTES }),
    assertUnchanged() {
      if (stateOf(fd) !== state)
        throw new CommanderError(2, "mailvet.list", `${list} was changed while it was read; begin again`);
    },
    [Symbol.asyncDispose]: () => promisify(close)(fd),
  };
}

async function openList(list: string, signal: AbortSignal): Promise<number> {
  try {
    if (list === "-") return await unlessInterrupted(kept(process.stdin), signal);
    const fd = await promisify(open)(list, "r");
    const stats = fstatSync(fd);
    if (stats.isDirectory()) throw new Error("it is a directory");
    if (stats.isFile()) return fd;
    const pipe = new Socket({ fd, readable: true, writable: false });
    return await unlessInterrupted(kept(pipe), signal);
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new CommanderError(2, "mailvet.list", `cannot read the list ${list}: ${why}`);
  }
}

async function kept(stream: AsyncIterable<Uint8Array>): Promise<number> {
  const fd = openNamelessFile();
  for await (const piece of stream) writeAll(fd, piece);
  return fd;
}

function stateOf(fd: number): string {
  const { size, mtimeMs } = fstatSync(fd);
  return `${size} ${mtimeMs}`;
}
