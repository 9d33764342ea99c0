/**
 * A ZIP archive, written as it goes: nothing needs to be known of a file's length beforehand, and nothing is kept but
 * the table of contents for the end. (PKWARE's APPNOTE 6.3, without the extensions for more than 4 GiB.)
 */
import { pipeline, Readable } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";

export type ZipEntry = { name: string; content: string | AsyncIterable<string> };

const LOCAL_HEADER = 0x04034b50;
const DATA_DESCRIPTOR = 0x08074b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
const VERSION = 20;
/** The lengths follow the data; names are UTF-8. */
const FLAGS = 0x0008 | 0x0800;
const DEFLATED = 8;
/** A day that DOS could write down: the first of 1980. When it was made is nobody's business. */
const DATE = 0x0021;
const MAX_LENGTH = 0xffff_ffff;
/** Three quarters of the way to the smallest, in a fraction of the time. */
const LEVEL = 3;

export async function* zipFile(entries: readonly ZipEntry[]): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const nameBytes = Buffer.from(name, "utf8");
    const start = offset;
    const sums = { crc: 0, plainBytes: 0, packedBytes: 0 };
    const header = Buffer.concat([localHeader(nameBytes.length), nameBytes]);
    offset += header.length;
    yield header;
    for await (const piece of deflated(content, sums)) {
      offset += piece.length;
      yield piece;
    }
    const descriptor = numbers(
      [4, DATA_DESCRIPTOR],
      [4, sums.crc],
      [4, sums.packedBytes],
      [4, sums.plainBytes],
    );
    offset += descriptor.length;
    yield descriptor;
    directory.push(centralHeader(nameBytes.length, sums, start), nameBytes);
  }
  const contents = Buffer.concat(directory);
  requireLength(offset);
  yield contents;
  yield endOfDirectory(entries.length, contents.length, offset);
}

type Sums = { crc: number; plainBytes: number; packedBytes: number };

async function* deflated(content: ZipEntry["content"], sums: Sums): AsyncGenerator<Buffer> {
  const source = Readable.from(summed(typeof content === "string" ? [content] : content, sums), {
    objectMode: false,
  });
  const deflate = createDeflateRaw({ level: LEVEL });
  pipeline(source, deflate, () => {}); // trouble on either side ends both, and is heard of below
  for await (const piece of deflate as AsyncIterable<Buffer>) {
    sums.packedBytes += piece.length;
    yield piece;
  }
}

async function* summed(
  content: Iterable<string> | AsyncIterable<string>,
  sums: Sums,
): AsyncGenerator<Buffer> {
  for await (const text of content) {
    const bytes = Buffer.from(text, "utf8");
    sums.crc = crc32(bytes, sums.crc);
    sums.plainBytes += bytes.length;
    requireLength(sums.plainBytes);
    yield bytes;
  }
}

function requireLength(bytes: number): void {
  if (bytes > MAX_LENGTH) throw new RangeError("the archive would be larger than 4 GiB");
}

function localHeader(nameLength: number): Buffer {
  return numbers(
    [4, LOCAL_HEADER],
    ...commonFields({ crc: 0, plainBytes: 0, packedBytes: 0 }),
    [2, nameLength],
    [2, 0], // no extra field
  );
}

function centralHeader(nameLength: number, sums: Sums, start: number): Buffer {
  return numbers(
    [4, CENTRAL_HEADER],
    [2, VERSION],
    ...commonFields(sums),
    [2, nameLength],
    ...Array<Field>(4).fill([2, 0]), // no extra field, no comment, first disk, inner attributes
    [4, 0], // outer attributes
    [4, start],
  );
}

function commonFields({ crc, packedBytes, plainBytes }: Sums): Field[] {
  return [
    [2, VERSION],
    [2, FLAGS],
    [2, DEFLATED],
    [2, 0],
    [2, DATE],
    [4, crc],
    [4, packedBytes],
    [4, plainBytes],
  ];
}

function endOfDirectory(entries: number, bytes: number, offset: number): Buffer {
  return numbers(
    [4, END_OF_DIRECTORY],
    [2, 0],
    [2, 0],
    [2, entries],
    [2, entries],
    [4, bytes],
    [4, offset],
    [2, 0],
  );
}

type Field = [bytes: 2 | 4, value: number];

function numbers(...fields: Field[]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
}
