/**
 * Reads the addresses to check: from the command line, a file of plain lines, a file of JSON lines, or standard
 * input, in any encoding that lists of other commands may have. Streams throughout, so memory use depends neither on the
 * length of the list nor on that of its lines.
 */
import { close, createReadStream, fstat, open } from "node:fs";
import { stat } from "node:fs/promises";
import { Socket } from "node:net";
import { promisify } from "node:util";
import { linesOf } from "@mailvet/engine";
import { decodedStream, InvalidByteError, ListFileError } from "@mailvet/engine/list-file";
import { unreadableList } from "../list-file/list-path.ts";

/** Longer input is cut and checked as cut; no valid address comes near this length. */
const MAX_ADDRESS_BYTES = 8 * 1024;

/** A JSON line may have other fields beside the address. Only one line is in memory at a time. */
const MAX_JSON_LINE_BYTES = 1024 * 1024;

/** The addresses given as arguments, then those of the list, in order. */
export async function* addressesFrom(
  args: readonly string[],
  list: string | undefined,
): AsyncGenerator<string> {
  yield* args;
  if (list === undefined) return;
  const isJson = /\.(jsonl|ndjson)$/i.test(list);
  const text = decodedStream(await openList(list));
  let lineCount = 0;
  try {
    const lines = isJson
      ? linesOf(text, MAX_JSON_LINE_BYTES)
      : linesOf(withLineFeeds(text), MAX_ADDRESS_BYTES);
    for await (const line of lines) {
      lineCount++;
      if (line.trim() === "") continue;
      yield isJson ? fromJsonLine(line) : line;
    }
  } catch (error) {
    if (error instanceof ListFileError) throw unreadableList(list, error);
    if (!(error instanceof InvalidByteError)) throw error;
    const encoding = error.encoding.toUpperCase();
    const where = `line ${lineCount + 1} has a character that is not ${encoding} (near byte ${error.position})`;
    throw unreadableList(list, new Error(`${where}; save it as UTF-8`));
  }
}

/** Any line break ends an address, as in lists of other commands: also CR alone, of old Macs and some exports. */
async function* withLineFeeds(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let endsInCr = false;
  for await (const text of texts) {
    yield text.slice(endsInCr && text.startsWith("\n") ? 1 : 0).replaceAll(/\r\n?/g, "\n");
    if (text !== "") endsInCr = text.endsWith("\r");
  }
}

/** Size of the list in bytes, for a progress bar; undefined for standard input and pipes. */
export async function sizeOfList(list: string): Promise<number | undefined> {
  if (list === "-") return undefined;
  const stats = await stat(list).catch(() => undefined); // not opened here: a pipe can be opened only once
  return stats?.isFile() ? stats.size : undefined;
}

async function openList(list: string): Promise<AsyncIterable<Buffer>> {
  if (list === "-") return process.stdin;
  try {
    const fd = await promisify(open)(list, "r");
    const stats = await promisify(fstat)(fd);
    // A read stream on a FIFO blocks a thread, and the process would not exit on Ctrl-C. A socket does not.
    if (stats.isFIFO()) return new Socket({ fd, readable: true, writable: false });
    if (!stats.isDirectory()) return createReadStream(list, { fd });
    await promisify(close)(fd);
    throw new Error("it is a directory");
  } catch (error) {
    throw unreadableList(list, error);
  }
}

/** A JSON string, or an object with an email. Anything else is checked as it is, so every line gets a result. */
function fromJsonLine(line: string): string {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "string") return cut(value);
    if (typeof value === "object" && value !== null && "email" in value && typeof value.email === "string") {
      return cut(value.email);
    }
  } catch {
    // Not JSON: treated as a plain address.
  }
  return cut(line);
}

/** Copies, because a slice would keep the whole string in memory. */
function cut(text: string): string {
  if (text.length <= MAX_ADDRESS_BYTES) return text;
  return Buffer.from(text.slice(0, MAX_ADDRESS_BYTES)).toString();
}
