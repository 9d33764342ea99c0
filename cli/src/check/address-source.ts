/**
 * Where the addresses to check come from: the command line, a file of plain lines, a file of JSON lines, or
 * standard input. A stream from end to end: memory does not grow with the list, nor with its lines.
 */
import { close, createReadStream, fstat, open } from "node:fs";
import { stat } from "node:fs/promises";
import { Socket } from "node:net";
import { promisify } from "node:util";
import { CommanderError } from "commander";
import { linesOf } from "./line-reader.ts";

/** What is longer is cut, and gets its result for what is left; no address comes anywhere near. */
const MAX_ADDRESS_BYTES = 8 * 1024;

/** In a line of JSON other things may stand beside the address; it is read and gone before the next one. */
const MAX_JSON_LINE_BYTES = 1024 * 1024;

/** Every address that was named, in order. */
export async function* addressesFrom(
  named: readonly string[],
  list: string | undefined,
): AsyncGenerator<string> {
  yield* named;
  if (list === undefined) return;
  const isJson = list.endsWith(".jsonl");
  for await (const line of linesOf(await openList(list), isJson ? MAX_JSON_LINE_BYTES : MAX_ADDRESS_BYTES)) {
    if (line.trim() === "") continue; // a blank line is no address
    yield isJson ? fromJsonLine(line) : line;
  }
}

/** How many bytes the list has, for a progress bar; undefined when nobody can know. */
export async function sizeOfList(list: string): Promise<number | undefined> {
  if (list === "-") return undefined;
  const stats = await stat(list).catch(() => undefined); // never opened here: a pipe can be opened only once
  return stats?.isFile() ? stats.size : undefined;
}

async function openList(list: string): Promise<AsyncIterable<Buffer>> {
  if (list === "-") return process.stdin;
  try {
    const fd = await promisify(open)(list, "r");
    const stats = await promisify(fstat)(fd);
    // Waiting for a pipe as one waits for a file would keep the process from ending at Ctrl-C.
    if (stats.isFIFO()) return new Socket({ fd, readable: true, writable: false });
    if (!stats.isDirectory()) return createReadStream(list, { fd });
    await promisify(close)(fd);
    throw new Error("it is a directory");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommanderError(2, "mailvet.list", `cannot read the list ${list}: ${why}`);
  }
}

/** A JSON string, or an object with an email; whatever else it may be is checked as it stands, so no line is lost. */
function fromJsonLine(line: string): string {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "string") return cut(value);
    if (typeof value === "object" && value !== null && "email" in value && typeof value.email === "string") {
      return cut(value.email);
    }
  } catch {
    // Not JSON: a plain address that strayed into the list.
  }
  return cut(line);
}

/** A copy, because a mere slice would keep the whole text in memory. */
function cut(text: string): string {
  if (text.length <= MAX_ADDRESS_BYTES) return text;
  return Buffer.from(text.slice(0, MAX_ADDRESS_BYTES)).toString();
}
