/**
 * Where the addresses to check come from: the command line, a file of plain lines, a file of JSON lines, or
 * standard input. A stream from end to end: memory does not grow with the list.
 */
import { open } from "node:fs/promises";
import { CommanderError } from "commander";

/** A line longer than this is cut; no address comes anywhere near. */
const MAX_LINE_LENGTH = 1024 * 1024;

/** Every address that was named, in order. */
export async function* addressesFrom(
  named: readonly string[],
  list: string | undefined,
): AsyncGenerator<string> {
  yield* named;
  if (list === undefined) return;
  const lines = linesOf(await openList(list));
  if (list.endsWith(".jsonl")) for await (const line of lines) yield fromJsonLine(line);
  else yield* lines;
}

/** How many bytes the list has, for a progress bar; undefined when nobody can know. */
export async function sizeOfList(list: string): Promise<number | undefined> {
  if (list === "-") return undefined;
  const file = await open(list).catch(() => undefined);
  if (!file) return undefined;
  try {
    const stats = await file.stat();
    return stats.isFile() ? stats.size : undefined;
  } finally {
    await file.close();
  }
}

async function openList(list: string): Promise<AsyncIterable<Buffer>> {
  if (list === "-") return process.stdin;
  try {
    const file = await open(list);
    if (!(await file.stat()).isDirectory()) return file.createReadStream();
    await file.close();
    throw new Error("it is a directory");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommanderError(2, "mailvet.list", `cannot read the list ${list}: ${why}`);
  }
}

/** Splits on line feeds only (U+2028 may stand inside a JSON string); blank lines are no addresses. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder(); // drops a byte order mark
  let rest = "";
  for await (const chunk of chunks) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = pieces.pop()!.slice(0, MAX_LINE_LENGTH);
    for (const piece of pieces) if (piece.trim() !== "") yield piece.replace(/\r$/, "");
  }
  rest += decoder.decode();
  if (rest.trim() !== "") yield rest.replace(/\r$/, "");
}

/** A JSON string, or an object with an email; whatever else it may be is checked as it stands, so no line is lost. */
function fromJsonLine(line: string): string {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "string") return value;
    if (typeof value === "object" && value !== null && "email" in value && typeof value.email === "string") {
      return value.email;
    }
  } catch {
    // Not JSON: a plain address that strayed into the list.
  }
  return line;
}
