/**
 * A list that can be read several times: a file, or the content of a pipe copied to a temporary file. The file stays
 * open throughout, so replacing it on disk has no effect.
 */
import { close, fstatSync, open, read } from "node:fs";
import { Socket } from "node:net";
import { promisify } from "node:util";
import { openTempFile } from "@mailvet/engine/list-file";
import { CommanderError } from "commander";
import { Interrupted, unlessInterrupted } from "../interruption.ts";
import { SystemFailure } from "../output/system-failure.ts";
import { unreadableList } from "./list-path.ts";
import { writeAll } from "./temp-file.ts";

export type ListOnDisk = AsyncDisposable & {
  /** Reads from the start. */
  read(): AsyncIterable<Uint8Array>;
  /** Throws when size or modification time changed since it was opened. */
  assertUnchanged(): void;
};

const CHUNK_BYTES = 256 * 1024;

export async function openListOnDisk(list: string, signal: AbortSignal): Promise<ListOnDisk> {
  const fd = await openList(list, signal);
  const state = stateOf(fd);
  return {
    read: () => chunksOf(fd),
    assertUnchanged() {
      if (stateOf(fd) !== state)
        throw new CommanderError(
          2,
          "mailvet.list",
          `${list} was changed while it was read; run the command again`,
        );
    },
    [Symbol.asyncDispose]: () => promisify(close)(fd),
  };
}

/** Not a read stream, which closes the file when its reader stops early, such as after a failed write. */
async function* chunksOf(fd: number): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const space = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await promisify(read)(fd, space, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield space.subarray(0, bytesRead);
  }
}

async function openList(list: string, signal: AbortSignal): Promise<number> {
  try {
    if (list === "-") return await unlessInterrupted(copyToDisk(process.stdin), signal);
    const fd = await promisify(open)(list, "r");
    if (fstatSync(fd).isFile()) return fd;
    const pipe = new Socket({ fd, readable: true, writable: false });
    return await unlessInterrupted(copyToDisk(pipe), signal);
  } catch (error) {
    if (error instanceof Interrupted || error instanceof SystemFailure) throw error;
    throw unreadableList(list, error);
  }
}

async function copyToDisk(stream: AsyncIterable<Uint8Array>): Promise<number> {
  const fd = openTempFile();
  for await (const chunk of stream) writeAll(fd, chunk);
  return fd;
}

function stateOf(fd: number): string {
  const { size, mtimeMs } = fstatSync(fd);
  return `${size} ${mtimeMs}`;
}
