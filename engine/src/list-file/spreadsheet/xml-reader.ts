/**
 * Reads an XML entry of a spreadsheet piece by piece (saxes) and calls a handler for its elements.
 *
 * Document type declarations are refused, and with them all entities but the five of XML. Depth, and the length of a
 * single tag, comment or text are limited, because the parser holds these in memory.
 */
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { SaxesParser } from "saxes";
import { ListFileError } from "../list-file-error.ts";
import { bomb, damaged } from "./zip-archive.ts";

export type XmlHandler = {
  /** `name` is without a prefix. */
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
};

/** Small enough that what it expands to (references to long shared strings) does not block the event loop. */
export const PIECE_CHARS = 4096;
const MAX_DEPTH = 100;
const MAX_ITEM_CHARS = 1024 * 1024;

/** Yields after each piece. The event loop runs after each chunk. */
export async function* readXml(
  chunks: AsyncIterable<Uint8Array>,
  handler: XmlHandler,
): AsyncGenerator<undefined> {
  const parser = new SaxesParser({ position: false, xmlns: false });
  let depth = 0;
  let charsSinceEvent = 0;
  const localName = (name: string) => name.slice(name.indexOf(":") + 1);
  const text = (content: string) => {
    charsSinceEvent = 0;
    handler.text?.(content);
  };
  parser.on("doctype", () => {
    throw damaged("it contains a document type declaration");
  });
  parser.on("opentag", ({ name, attributes }) => {
    charsSinceEvent = 0;
    if (++depth > MAX_DEPTH) throw bomb(`has more than ${MAX_DEPTH} levels of elements`);
    handler.open?.(localName(name), attributes as Record<string, string>);
  });
  parser.on("closetag", ({ name }) => {
    depth--;
    charsSinceEvent = 0;
    handler.close?.(localName(name));
  });
  parser.on("text", text);
  parser.on("cdata", text);
  try {
    for await (const decoded of decodedText(chunks)) {
      for (let at = 0; at < decoded.length; at += PIECE_CHARS) {
        const piece = decoded.slice(at, at + PIECE_CHARS);
        charsSinceEvent += piece.length;
        parser.write(piece);
        if (charsSinceEvent > MAX_ITEM_CHARS) throw bomb("has an element that is too long");
        yield undefined;
      }
      await yieldToEventLoop();
    }
    parser.close();
  } catch (error) {
    if (error instanceof ListFileError || !(error instanceof Error)) throw error;
    if ("code" in error && error.code !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw error;
    throw damaged(error.message.slice(0, 200));
  }
}

/** UTF-8, or UTF-16 with a byte order mark. */
async function* decodedText(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true });
    yield decoder.decode(chunk, { stream: true });
  }
  if (decoder) yield decoder.decode();
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}
