/**
 * Bytes into text, piece by piece.
 *
 * What cannot be decoded is refused, never replaced: an address with a replacement character in it is another
 * address. NULs are dropped, since no table means them and no database takes them.
 */
import { isAscii } from "node:buffer";
import { type Encoding, guessBeyondAscii } from "./encoding.ts";
import { createWindows1252Decoder } from "./windows-1252.ts";

/** Thrown behind the text up to there. */
export class UnreadableByte extends Error {
  override readonly name = "UnreadableByte";
  readonly encoding: Encoding;
  /** From 1. */
  readonly position: number;

  constructor(encoding: Encoding, position: number) {
    super(`byte ${position} is not ${encoding}`);
    this.encoding = encoding;
    this.position = position;
  }
}

const NOTHING: Uint8Array = new Uint8Array();
const LONGEST_CHARACTER_BYTES = 4;

export async function* decoded(
  pieces: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<string> {
  let reader = createReader(encoding);
  let carried = NOTHING;
  let bytesBefore = 0;
  for await (const piece of pieces) {
    let bytes = carried.length === 0 ? piece : Buffer.concat([carried, piece]);
    carried = NOTHING;
    if (reader.encoding === "ascii" && !isAscii(bytes)) {
      const beyond = bytes.findIndex((byte) => byte >= 0x80);
      if (beyond > bytes.length - LONGEST_CHARACTER_BYTES) {
        carried = bytes.subarray(beyond); // too little to judge by: it waits for the next piece
        bytes = bytes.subarray(0, beyond);
      } else {
        reader = createReader(await guessBeyondAscii(bytes, false));
      }
    }
    const { text, badByte } = reader.read(bytes, true);
    yield text;
    if (badByte !== undefined) throw new UnreadableByte(reader.encoding, bytesBefore + badByte);
    bytesBefore += bytes.length;
  }
  if (carried.length > 0) reader = createReader(await guessBeyondAscii(carried, true));
  const { text, badByte } = reader.read(carried, false);
  yield text;
  if (badByte !== undefined) throw new UnreadableByte(reader.encoding, bytesBefore + badByte);
}

/** The text of a head, good enough to judge the file by. */
export function decodedHead(head: Uint8Array, encoding: Encoding): string {
  return decoderFor(encoding, false).decode(head, { stream: true });
}

type Reader = {
  readonly encoding: Encoding;
  /** The text of these bytes, or of those before the first that cannot be read. */
  read(bytes: Uint8Array, stream: boolean): { text: string; badByte?: number };
};

function createReader(encoding: Encoding): Reader {
  const decoder = decoderFor(encoding, true);
  return {
    encoding,
    read(bytes, stream) {
      try {
        return { text: withoutNuls(decoder.decode(bytes, { stream })) };
      } catch {
        const count = readableBytes(bytes, encoding);
        const text = decoderFor(encoding, false).decode(bytes.subarray(0, count));
        return { text: withoutNuls(text), badByte: count + 1 };
      }
    },
  };
}

/** Of TextDecoder, what we use of it. */
type Decoder = { decode(bytes: Uint8Array, options?: { stream: boolean }): string };

function decoderFor(encoding: Encoding, fatal: boolean): Decoder {
  if (encoding === "windows-1252") return createWindows1252Decoder();
  return new TextDecoder(encoding === "ascii" ? "utf-8" : encoding, { fatal });
}

/** Found by halving. A character that began in the piece before is passed over. */
function readableBytes(bytes: Uint8Array, encoding: Encoding): number {
  const isContinuation = (byte: number | undefined) =>
    encoding === "utf-8" && byte !== undefined && byte >> 6 === 2;
  let from = 0;
  while (from < LONGEST_CHARACTER_BYTES && isContinuation(bytes[from])) from++;
  let good = from;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (canDecode(bytes.subarray(from, middle), encoding)) good = middle;
    else bad = middle;
  }
  return good;
}

function canDecode(bytes: Uint8Array, encoding: Encoding): boolean {
  try {
    decoderFor(encoding, true).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function withoutNuls(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "") : text;
}
