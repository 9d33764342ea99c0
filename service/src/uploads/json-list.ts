/**
 * A list that is sent as a JSON document, read while it arrives: `emails` or `rows` become the lines of a CSV file, which
 * takes the way of an upload; everything else is returned at the end.
 *
 * The parser (@streamparser/json) holds one item at a time. Depth, and the bytes of one item are limited.
 */
import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";
import { yieldToEventLoop } from "../base/event-loop-yield.ts";
import { pointerPart, Refusal, wrongField, wrongValue } from "../base/refusal.ts";

export type JsonList = {
  /** CSV with a header row. Throws a Refusal if the document is invalid. */
  text: AsyncIterable<Uint8Array>;
  /** Of the list in the document, once its name is read. */
  readonly pointer: string;
  /** The other properties; complete once the text is read. */
  properties: Readonly<Record<string, unknown>>;
};

type Cell = string | number | boolean | null;
type Row = Readonly<Record<string, Cell>>;

const LISTS = ["emails", "rows"] as const;
/** Rows whose keys make the header, fewer if they are long. A later row must not have others. */
const HEADER_ROWS = 1000;
const HEADER_CHARS = 4 * 1024 * 1024;
const MIN_TEXT_CHARS = 64 * 1024;
const PIECE_BYTES = 8 * 1024;
const MAX_DEPTH = 5;
const MAX_ITEM_BYTES = 1024 * 1024;
const MAX_COLUMNS = 1000;

/** `names` are the properties besides `emails` and `rows`. `check` throws a Refusal when it sees the properties. */
export function readJsonList(
  bytes: AsyncIterable<Uint8Array>,
  names: readonly string[],
  check: (properties: Readonly<Record<string, unknown>>) => void,
): JsonList {
  const properties: Record<string, unknown> = {};
  const table = createTable();
  const document = createDocumentParser(names, (name, value) => {
    if (name === "emails") table.addEmail(value);
    else if (name === "rows") table.addRow(value);
    else properties[name] = value;
  });
  return {
    properties,
    get pointer() {
      return document.pointer;
    },
    text: csvOf(bytes, document, table, () => check(properties)),
  };
}

async function* csvOf(
  bytes: AsyncIterable<Uint8Array>,
  document: ReturnType<typeof createDocumentParser>,
  table: ReturnType<typeof createTable>,
  check: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      document.write(chunk.subarray(at, at + PIECE_BYTES));
      for (const text of table.take()) yield Buffer.from(text);
      await yieldToEventLoop();
    }
  }
  document.end();
  check();
  for (const text of table.end()) yield Buffer.from(text);
}

/** Calls back for each item of a list and for each other property. */
function createDocumentParser(names: readonly string[], onValue: (name: string, value: unknown) => void) {
  const known = new Set<string>([...LISTS, ...names]);
  const seen = new Set<string>();
  // Bytes that are no UTF-8 would be replaced silently, and turn an address into a different one.
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const tokenizer = new (class extends Tokenizer {
    // The numbers of rows stay text: as a number, a long one would lose digits.
    protected override parseNumber(text: string): number {
      return name === "rows" ? (text as unknown as number) : super.parseNumber(text);
    }
  })();
  const parser = new TokenParser({
    paths: [...LISTS.map((name) => `$.${name}.*`), ...names.map((name) => `$.${name}`)],
    keepStack: false,
  });
  let depth = 0;
  let isKey = false;
  let name = "";
  let bytesInItem = 0;
  let fault: Refusal | undefined;

  parser.onValue = ({ value }) => {
    bytesInItem = 0;
    onValue(name, value);
  };
  tokenizer.onToken = (info) => {
    const { token, value } = info;
    if (depth === 0 && token !== TokenType.LEFT_BRACE)
      throw wrongValue("", "The body must be a JSON object.");
    if (depth === 1 && isKey && token === TokenType.STRING) {
      name = String(value);
      // Reported at the end, because a document that is no JSON is refused as such.
      if (!known.has(name)) fault ??= wrongField(pointerPart(name), "is not a known property");
      else if (seen.has(name)) fault ??= wrongField(`/${name}`, "occurs twice");
      else seen.add(name);
    } else if (
      depth === 1 &&
      token !== TokenType.COLON &&
      isList(name) &&
      !isKey &&
      token !== TokenType.LEFT_BRACKET
    ) {
      if (token !== TokenType.COMMA && token !== TokenType.RIGHT_BRACE)
        throw wrongField(`/${name}`, "must be an array");
    }
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth++;
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth--;
    if (depth > MAX_DEPTH)
      throw wrongField(pointerPart(name), `has more than ${MAX_DEPTH - 1} levels of arrays and objects`);
    isKey = depth === 1 && (token === TokenType.LEFT_BRACE || token === TokenType.COMMA);
    parser.write(info);
  };
  const malformed = (error: unknown) =>
    error instanceof Refusal
      ? error
      : new Refusal("malformed_request", "The body is not valid JSON in UTF-8.");
  // By default errors are thrown in a state that accepts no further input.
  tokenizer.onError = (error) => {
    throw malformed(error);
  };
  parser.onError = (error) => {
    throw malformed(error);
  };
  return {
    get pointer() {
      const list = LISTS.find((one) => seen.has(one));
      return list === undefined ? "" : `/${list}`;
    },
    write(piece: Uint8Array) {
      bytesInItem += piece.length;
      if (bytesInItem > MAX_ITEM_BYTES) throw wrongField(pointerPart(name), "has an item that is too long");
      try {
        tokenizer.write(decoder.decode(piece, { stream: true }));
      } catch (error) {
        throw malformed(error);
      }
    },
    end() {
      try {
        tokenizer.write(decoder.decode());
        if (!parser.isEnded) throw new Error("incomplete");
      } catch (error) {
        throw malformed(error);
      }
      if (fault) throw fault;
      const lists = LISTS.filter((list) => seen.has(list));
      if (lists.length !== 1) throw wrongValue("", "Send either `emails` or `rows`.");
    },
  };
}

const isList = (name: string) => (LISTS as readonly string[]).includes(name);

/** Turns items into lines of CSV. */
function createTable() {
  let columns: Map<string, number> | undefined;
  let first: Row[] = [];
  let firstChars = 0;
  let headerRows = 0;
  let rowCount = 0;
  let texts: string[] = [];

  const write = (cells: readonly Cell[]) => {
    const last = texts.at(-1);
    if (last !== undefined && last.length < MIN_TEXT_CHARS) texts[texts.length - 1] = last + lineOf(cells);
    else texts.push(lineOf(cells));
  };
  const addLine = (row: Row) => {
    const cells = Array<Cell>(columns!.size).fill("");
    for (const [key, value] of Object.entries(row)) {
      const column = columns!.get(key);
      if (column === undefined) {
        const message = `has the key "${key.slice(0, 100)}", which none of the first ${headerRows} rows has`;
        throw wrongField(`/rows/${rowCount}`, message);
      }
      cells[column] = value;
    }
    write(cells);
  };
  const writeFirst = () => {
    const keys = new Set(first.flatMap((row) => Object.keys(row)));
    if (keys.size > MAX_COLUMNS) throw wrongField("/rows", `has more than ${MAX_COLUMNS} different keys`);
    columns = new Map([...keys].map((key, column) => [key, column]));
    write([...keys]);
    headerRows = first.length;
    for (const row of first) addLine(row);
    first = [];
  };

  return {
    addEmail(value: unknown) {
      if (typeof value !== "string") throw wrongField(`/emails/${rowCount}`, "must be a string");
      if (rowCount++ === 0) write(["email"]);
      write([value]);
    },
    addRow(value: unknown) {
      const row = rowOf(value, `/rows/${rowCount}`);
      if (columns) addLine(row);
      else {
        first.push(row);
        firstChars += lineOf(Object.entries(row).flat()).length;
        if (first.length === HEADER_ROWS || firstChars > HEADER_CHARS) writeFirst();
      }
      rowCount++;
    },
    take(): string[] {
      const taken = texts;
      texts = [];
      return taken;
    },
    end(): string[] {
      if (!columns && first.length > 0) writeFirst();
      return this.take();
    },
  };
}

function rowOf(value: unknown, pointer: string): Row {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrongField(pointer, "must be an object");
  for (const [key, cell] of Object.entries(value)) {
    if (typeof cell === "object" && cell !== null)
      throw wrongField(pointer + pointerPart(key), "must be a string, a number, a boolean or null");
  }
  return value as Row;
}

/** Every cell in quotes (`isStrict` of its reader), so that none is read as anything else. */
function lineOf(cells: readonly Cell[]): string {
  return `${cells.map((cell) => `"${textOf(cell).replaceAll('"', '""')}"`).join(",")}\r\n`;
}

/** A NUL would be dropped by the reader, which makes an address a different one. Lone surrogates become U+FFFD in UTF-8. */
function textOf(cell: Cell): string {
  return String(cell ?? "").replaceAll("\0", "\u{fffd}");
}
