/**
 * Decodes bytes to text, block by block.
 *
 * Invalid bytes are rejected, never replaced: an address with a replacement character is a different address. NULs
 * are dropped, because PostgreSQL text cannot hold them.
 */
import { isAscii } from "node:buffer";
import { canDecode } from "./code-page.ts";
import { type Encoding, guessEncoding, guessNonAscii } from "./encoding.ts";
import { rejectAllButText } from "./file-type.ts";
import { prepend } from "./gunzip.ts";

/** Thrown after the text before it was yielded. */
export class InvalidByteError extends Error {
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

const NO_BYTES: Uint8Array = new Uint8Array();
const LONGEST_CHARACTER_BYTES = 4;
const LINE_FEED = 0x0a;
/** A first line may be longer than what detection needs. */
const MAX_FIRST_LINE_BYTES = 4096;

/** Detects the encoding from the first line alone, because a slow sender may wait for its result. */
export async function* decodedStream(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const blocks = prepend([], bytes);
  let head = NO_BYTES;
  let next = await blocks.next();
  while (!next.done) {
    head = Buffer.concat([head, next.value]);
    if (head.includes(LINE_FEED) || head.length >= MAX_FIRST_LINE_BYTES) break;
    next = await blocks.next();
  }
  rejectAllButText(head);
  yield* decoded(prepend([head], blocks), await guessEncoding(head, next.done === true));
}

export async function* decoded(
  blocks: AsyncIterable<Uint8Array>,
  encoding: Encoding,
): AsyncGenerator<string> {
  let reader = createReader(encoding);
  let pending = NO_BYTES;
  let bytesBefore = 0;
  for await (const block of blocks) {
    let bytes = pending.length === 0 ? block : Buffer.concat([pending, block]);
    pending = NO_BYTES;
    if (reader.encoding === "ascii" && !isAscii(bytes)) {
      const firstNonAscii = bytes.findIndex((byte) => byte >= 0x80);
      const isCut = firstNonAscii > bytes.length - LONGEST_CHARACTER_BYTES && bytes.at(-1) !== LINE_FEED;
      if (isCut) {
        pending = bytes.subarray(firstNonAscii); // too little to detect the encoding: kept for the next block
        bytes = bytes.subarray(0, firstNonAscii);
      } else {
        reader = createReader(await guessNonAscii(bytes, false));
      }
    }
    const { text, badByte } = reader.read(bytes, true);
    yield text;
    if (badByte !== undefined) throw new InvalidByteError(reader.encoding, bytesBefore + badByte);
    bytesBefore += bytes.length;
  }
  if (pending.length > 0) reader = createReader(await guessNonAscii(pending, true));
  const { text, badByte } = reader.read(pending, false);
  yield text;
  if (badByte !== undefined) throw new InvalidByteError(reader.encoding, bytesBefore + badByte);
}

/** The text of the first bytes, good enough for detection. */
export function decodedHead(head: Uint8Array, encoding: Encoding): string {
  return decoderFor(encoding, false).decode(head, { stream: true });
}

type Reader = {
  readonly encoding: Encoding;
  /** The text of these bytes, or of those before the first invalid one. */
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
        const count = validPrefixLength(bytes, encoding);
        const text = decoderFor(encoding, false).decode(bytes.subarray(0, count));
        return { text: withoutNuls(text), badByte: count + 1 };
      }
    },
  };
}

/** The subset of TextDecoder used here. */
type Decoder = { decode(bytes: Uint8Array, options?: { stream: boolean }): string };

function decoderFor(encoding: Encoding, fatal: boolean): Decoder {
  if (encoding === "windows-1252") return createWindows1252Decoder();
  return new TextDecoder(labelOf(encoding), { fatal });
}

function labelOf(encoding: Encoding): string {
  return encoding === "ascii" ? "utf-8" : encoding;
}

/**
 * windows-1252, which TextDecoder in Node 20 decodes as ISO 8859-1: between 0x80 and 0x9f it has letters and
 * punctuation (€ Š ž „ ") where ISO 8859-1 has control characters. Unassigned bytes are kept.
 */
const FROM_0X80 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";
const C1_CONTROLS = /[\x80-\x9f]/g;

function createWindows1252Decoder(): Decoder {
  return {
    decode: (bytes) =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        .toString("latin1")
        .replace(C1_CONTROLS, (character) => FROM_0X80[character.charCodeAt(0) - 0x80]!),
  };
}

/** By bisection. A character that began in the previous block is skipped. */
function validPrefixLength(bytes: Uint8Array, encoding: Encoding): number {
  const isContinuation = (byte: number | undefined) =>
    encoding === "utf-8" && byte !== undefined && byte >> 6 === 2;
  let from = 0;
  while (from < LONGEST_CHARACTER_BYTES && isContinuation(bytes[from])) from++;
  let good = from;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (canDecode(bytes.subarray(from, middle), labelOf(encoding))) good = middle;
    else bad = middle;
  }
  return good;
}

function withoutNuls(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "") : text;
}
