/**
 * Splits a byte stream into lines. Splits on line feeds only (U+2028 is legal inside a JSON string), strips CR and a
 * byte order mark, and keeps only the first `maxBytes` of each line.
 */
import { StringDecoder } from "node:string_decoder";

export async function* linesOf(
  chunks: AsyncIterable<Buffer | string>,
  maxBytes: number,
): AsyncGenerator<string> {
  let pieces: Buffer[] = []; // of the current, incomplete line
  let keptBytes = 0;
  let isFirst = true;
  const keep = (piece: Buffer) => {
    const kept = piece.subarray(0, maxBytes - keptBytes);
    if (kept.length > 0) pieces.push(kept);
    keptBytes += kept.length;
  };
  const finish = (): string => {
    const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    const line = textOf(bytes, maxBytes);
    const hasMark = isFirst && line.startsWith(BYTE_ORDER_MARK);
    pieces = [];
    keptBytes = 0;
    isFirst = false;
    return line.slice(hasMark ? BYTE_ORDER_MARK.length : 0, line.endsWith("\r") ? -1 : undefined);
  };

  for await (const chunk of chunks) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      keep(bytes.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    keep(bytes.subarray(start));
  }
  if (keptBytes > 0) yield finish();
}

const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = "\ufeff";

/** If the cut splits a character, that character is dropped. */
function textOf(bytes: Buffer, maxBytes: number): string {
  return bytes.length < maxBytes ? bytes.toString("utf8") : new StringDecoder("utf8").write(bytes);
}
