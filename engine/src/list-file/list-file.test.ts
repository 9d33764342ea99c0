import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { growth, LINEAR_AT_FOURFOLD } from "../../test/growth.ts";
import { createEmailColumnFinder } from "./email-column.ts";
import { BLOCK_BYTES } from "./gunzip.ts";
import { type ListFile, type ListFileLimits, openListFile } from "./list-file.ts";
import { ListFileError } from "./list-file-error.ts";

const LIMITS: ListFileLimits = { maxTextBytes: 64 * 1024 * 1024, maxRows: 100_000 };

async function* chunksOf(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

type Read = Omit<ListFile, "batches" | "close"> & { rows: string[][]; suggested: string | undefined };

async function read(
  file: string | Uint8Array,
  { chunkBytes = 65_536, ...limits }: Partial<ListFileLimits> & { chunkBytes?: number } = {},
): Promise<Read> {
  const bytes = typeof file === "string" ? Buffer.from(file) : file;
  const { batches, close, ...list } = await openListFile(chunksOf(bytes, chunkBytes), {
    ...LIMITS,
    ...limits,
  });
  const finder = createEmailColumnFinder(list.columns);
  const rows: string[][] = [];
  for await (const batch of batches) {
    expect(batch.length).toBeLessThanOrEqual(1000);
    finder.add(batch);
    rows.push(...batch);
  }
  await close();
  const suggested = finder.suggested === undefined ? undefined : list.columns[finder.suggested];
  return { ...list, rows, suggested };
}

async function errorOf(...args: Parameters<typeof read>): Promise<ListFileError> {
  const error = await read(...args).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(ListFileError);
  return error as ListFileError;
}

function bigEndian(text: string): Buffer {
  return Buffer.from(text, "utf16le").swap16();
}

const PEOPLE = "name;email\r\nJosé;jose@example.com\r\nŽofie €;zofie@example.com\r\n";
const PEOPLE_ROWS = [
  ["José", "jose@example.com"],
  ["Žofie €", "zofie@example.com"],
];

test.each<[encoding: string, file: Uint8Array]>([
  ["utf-8", Buffer.from(PEOPLE)],
  ["utf-8", Buffer.from(`\ufeff${PEOPLE}`)],
  ["utf-16le", Buffer.from(`\ufeff${PEOPLE}`, "utf16le")],
  ["utf-16le", Buffer.from(PEOPLE, "utf16le")],
  ["utf-16be", bigEndian(`\ufeff${PEOPLE}`)],
  ["utf-16be", bigEndian(PEOPLE)],
  ["windows-1252", Buffer.from(PEOPLE.replace("Ž", "\x8e").replace("€", "\x80"), "latin1")],
  ["utf-8", gzipSync(PEOPLE)],
  ["utf-16le", gzipSync(Buffer.from(PEOPLE, "utf16le"))],
])("a table is read the same in any encoding, compressed or not (%s)", async (encoding, file) => {
  for (const chunkBytes of [65_536, 1]) {
    const list = await read(file, { chunkBytes });
    expect(list).toMatchObject({ encoding, delimiter: ";", header: ["name", "email"], rows: PEOPLE_ROWS });
  }
});

test("names in other scripts are decoded by the code pages of their countries", async () => {
  const russian = Buffer.from([..."Иван Петров;Москва"].map(in1251));
  const line = Buffer.concat([russian, Buffer.from(";ivan@example.ru\n")]);
  const list = await read(Buffer.concat(Array(20).fill(line)));
  expect(list).toMatchObject({ encoding: "windows-1251" });
  expect(list.rows[7]).toEqual(["Иван Петров", "Москва", "ivan@example.ru"]);
});

function in1251(letter: string): number {
  const code = letter.charCodeAt(0);
  return code < 0x80 ? code : code - 0x410 + 0xc0;
}

const MANY_ASCII_ROWS = "Ann,ann@example.com\n".repeat(20_000);

test.each([
  ["windows-1252", "latin1"],
  ["UTF-8", "utf8"],
] as const)("a list with a long ASCII part may turn out to be %s", async (_, encoding) => {
  for (const end of ["José,jose@example.com\n", "jose@example.com,José"]) {
    const row = end.trim().split(",");
    // Block boundaries before, behind and inside the letter.
    for (const asciiBytes of [0, 1, 2, 3].map((bytes) => 10 * BLOCK_BYTES - end.indexOf("é") - bytes)) {
      const start = MANY_ASCII_ROWS.slice(-asciiBytes);
      const list = await read(Buffer.concat([Buffer.from(start), Buffer.from(end, encoding)]));
      expect(list.rows.at(-1)).toEqual(row);
    }
  }
});

test.each([
  ["soon", "José,j@example.com\n".repeat(3), 4, 64],
  ["late", `José,j@example.com\n${MANY_ASCII_ROWS}`, 20_002, 400_024],
])("UTF-8 that breaks %s is rejected rather than guessed", async (_, start, row, byte) => {
  const file = Buffer.concat([Buffer.from(start), Buffer.from("Zoë,zoe@example.com\n", "latin1")]);
  expect(await errorOf(file)).toMatchObject({
    kind: "undecodable_file",
    message: `Row ${row} of the file has a character that is not UTF-8 (near byte ${byte}). Save the file as UTF-8.`,
  });
});

test.each<[what: string, file: string, delimiter: string, rows: string[][]]>([
  ["tabs", "name\temail\nDoe, Ann\tann@x.io\n", "\t", [["Doe, Ann", "ann@x.io"]]],
  ["pipes", "name|email\nAnn|ann@x.io\n", "|", [["Ann", "ann@x.io"]]],
  ["declared", "sep=^\r\nname^email\r\nAnn, Bob^ann@x.io\r\n", "^", [["Ann, Bob", "ann@x.io"]]],
  [
    "semicolons between decimal commas",
    "1,5;a@x.io;2,5\n1,5;b@x.io;2,5",
    ";",
    [
      ["1,5", "a@x.io", "2,5"],
      ["1,5", "b@x.io", "2,5"],
    ],
  ],
  [
    "none, only commas in names",
    "Contact\nDoe, Ann <ann@x.io>\nRoe, Bob <bob@x.io>",
    ";",
    [["Doe, Ann <ann@x.io>"], ["Roe, Bob <bob@x.io>"]],
  ],
  [
    "commas, with more of them in remarks",
    "email,remark\na@x.io,so, so, la la\nb@x.io,one, two\nc@x.io,",
    ",",
    [
      ["a@x.io", "so", " so", " la la"],
      ["b@x.io", "one", " two"],
      ["c@x.io", ""],
    ],
  ],
  [
    "quotes around other delimiters",
    '"a;b","c@x.io"\n"d;e;f","g@x.io"\n',
    ",",
    [
      ["a;b", "c@x.io"],
      ["d;e;f", "g@x.io"],
    ],
  ],
])("the delimiter is detected: %s", async (_, file, delimiter, rows) => {
  expect(await read(file)).toMatchObject({ delimiter, rows });
});

test.each<[what: string, file: string, header: string[] | undefined, columns: string[]]>([
  ["a row of names", "Name,E-Mail\nAnn,ann@x.io\n", ["Name", "E-Mail"], ["Name", "E-Mail"]],
  ["an email in the first row", "Ann,ann@x.io\nBob,bob@x.io\n", undefined, ["column_1", "column_2"]],
  ["a broken email in the first row", "ann@\nbob@x.io\n", undefined, ["column_1"]],
  [
    "numbers as in the rows below",
    "17,Ann,\n18,Bob,bob@x.io\n",
    undefined,
    ["column_1", "column_2", "column_3"],
  ],
  [
    "names twice, and none at all",
    "email, ,email,email (2)\na,b,c,d\n",
    ["email", " ", "email", "email (2)"],
    ["email", "column_2", "email (2)", "email (2) (2)"],
  ],
  ["rows longer than the header", "email\na@x.io,extra,,\n", ["email"], ["email", "column_2"]],
  ["one row only", "ann@x.io", undefined, ["column_1"]],
  ["a header only", "name,email\n", ["name", "email"], ["name", "email"]],
])("the header is detected: %s", async (_, file, header, columns) => {
  expect(await read(file)).toMatchObject({ header, columns });
});

test("line breaks in quotes, empty cells, ragged rows and blank lines are preserved", async () => {
  const file = '\r\nname,email,note\n"Ann\r\nMarie",ann@x.io,\n\n,bob@x.io\r"C ""Cee"" D",,x,y\r\n\n';
  expect((await read(file)).rows).toEqual([
    ["Ann\r\nMarie", "ann@x.io", ""],
    ["", "bob@x.io"],
    ['C "Cee" D', "", "x", "y"],
  ]);
});

test("two hundred columns are supported, and the email column is found", async () => {
  const names = Array.from({ length: 200 }, (_, column) => `c${column}`);
  const row = names.map((name, column) => (column === 137 ? "ann@x.io" : name));
  const list = await read([names, row, row].map((cells) => cells.join(",")).join("\n"));
  expect(list.columns).toHaveLength(200);
  expect(list.suggested).toBe("c137");
});

test("the result does not depend on network chunks", async () => {
  const file = gzipSync(Buffer.from(PEOPLE.repeat(50), "utf16le"));
  const whole = await read(file);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: file.length }), async (chunkBytes) => {
      expect(await read(file, { chunkBytes })).toEqual(whole);
    }),
    { numRuns: 30 },
  );
});

test("a file of many rows comes in batches, and the event loop runs in between", async () => {
  let turns = 0;
  let isReading = true;
  const takeTurns = () => {
    turns++;
    if (isReading) setImmediate(takeTurns);
  };
  setImmediate(takeTurns);
  const list = await read(`name,email\n${"Ann,ann@example.com\n".repeat(20_000)}`);
  isReading = false;
  expect(list.rows).toHaveLength(20_000);
  expect(turns).toBeGreaterThan(10); // 400 KB, in blocks of 32 KiB
});

test("too many rows are rejected with their actual number", async () => {
  const file = `email\n${"ann@example.com\n".repeat(5000)}`;
  expect((await read(file, { maxRows: 5000 })).rows).toHaveLength(5000);
  expect(await errorOf(file, { maxRows: 4999 })).toMatchObject({
    kind: "too_many_rows",
    found: 5000,
    limit: 4999,
    message: "The file has 5,000 rows; 4,999 is the maximum. Split it into several files.",
  });
});

const PADDED = [gzipSync("email\nann@x.io\n"), Buffer.alloc(10)];

test("a gzip file may have several members, and padding at its end", async () => {
  const members = [gzipSync("email\nann@x.io\n".repeat(5000)), ...PADDED, Buffer.alloc(100_000)];
  expect((await read(Buffer.concat(members))).rows).toHaveLength(10_001);
  expect((await read(Buffer.concat(members), { chunkBytes: 7 })).rows).toHaveLength(10_001);
});

test.each<[kind: string, what: string, file: string | Uint8Array]>([
  ["empty_file", "nothing", ""],
  ["empty_file", "blank lines", "\n\r\n\n"],
  ["empty_file", "gzip of nothing", gzipSync("")],
  ["unsupported_file", "an old Excel or Office file", Buffer.from("d0cf11e0a1b11ae10000", "hex")],
  [
    "unsupported_file",
    "a workbook with a password",
    Buffer.concat([
      Buffer.from("d0cf11e0a1b11ae1", "hex"),
      Buffer.alloc(20_000),
      Buffer.from("EncryptedPackage", "utf16le"),
    ]),
  ],
  ["unsupported_file", "a PDF document", "%PDF-1.7\n%âãÏÓ\n"],
  ["unsupported_file", "a gzip file inside another", gzipSync(gzipSync("a,b"))],
  ["unsupported_file", "a PNG image", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")],
  ["not_a_table", "a web page", "\n<!DOCTYPE html>\n<html><body>ann@x.io</body></html>"],
  ["not_a_table", "an XML document", '<?xml version="1.0"?><a>ann@x.io</a>'],
  ["not_a_table", "JSON", '[{"email": "ann@x.io"}]'],
  ["not_a_table", "JSON", '{"email": "ann@x.io"}\n{"email": "bob@x.io"}\n'],
  ["not_a_table", "not a text file", Buffer.from(Array.from({ length: 600 }, (_, i) => (i * 97) % 251))],
  ["not_a_table", "a cell of more than 65,536 characters", "x".repeat(100_000)],
  ["undecodable_file", "UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])],
  ["undecodable_file", "gzip file is damaged", gzipSync("email\nann@x.io\n".repeat(99)).subarray(0, 30)],
  [
    "undecodable_file",
    "gzip file is damaged",
    Buffer.concat([gzipSync("a").subarray(0, 10), Buffer.alloc(40, 7)]),
  ],
  ["undecodable_file", "data behind padding", Buffer.concat([...PADDED, gzipSync("bob@x.io\n")])],
  [
    "undecodable_file",
    "data behind padding",
    Buffer.concat([...PADDED, Buffer.alloc(100_000), gzipSync("b")]),
  ],
])("%s: %s", async (kind, what, file) => {
  const error = await errorOf(file);
  expect(error.kind).toBe(kind);
  if (kind !== "empty_file") expect(error.message).toContain(what);
});

test("a list of addresses in angle brackets is not XML, and a stray NUL does not make a list binary", async () => {
  expect((await read("<ann@x.io>\n<bob@x.io>\n")).rows).toHaveLength(2);
  expect((await read(`email\nann@x.io\0\n${"bob@x.io\n".repeat(50)}`)).rows[0]).toEqual(["ann@x.io"]);
});

test("a file larger than allowed is rejected, and its source closed", async () => {
  let sent = 0;
  let isTold = false;
  async function* endless() {
    try {
      for (;;) {
        sent += 65_536;
        yield Buffer.alloc(65_536, "a,b\n");
      }
    } finally {
      isTold = true;
    }
  }
  const list = await openListFile(endless(), { ...LIMITS, maxTextBytes: 2_000_000 });
  const readAll = async () => {
    for await (const batch of list.batches) expect(batch).not.toEqual([]);
  };
  await expect(readAll()).rejects.toMatchObject({ kind: "payload_too_large" });
  expect(isTold).toBe(true);
  expect(sent).toBeLessThan(3_000_000);
});

test.each([
  ["decompresses to more than 200 times its size", 12 * 1024 * 1024, LIMITS.maxTextBytes],
  ["decompresses to more than 1 MiB", 3 * 1024 * 1024, 1024 * 1024],
])("a gzip bomb is not decompressed to its end: %s", async (fault, size, maxTextBytes) => {
  const bomb = gzipSync(Buffer.alloc(size, "ann@example.com\n"));
  const error = await errorOf(bomb, { maxTextBytes, maxRows: 1e9 });
  expect(error).toMatchObject({ kind: "compression_bomb", message: `The gzip file ${fault}.` });
});

test.each([
  ["plain", (text: string) => Buffer.from(text)],
  ["packed", (text: string) => gzipSync(text)],
])("an upload that breaks off keeps its own error (%s)", async (_, pack) => {
  async function* broken() {
    yield pack("email\nann@x.io\n").subarray(0, 12);
    throw new Error("the connection was lost");
  }
  await expect(openListFile(broken(), LIMITS)).rejects.toThrow("the connection was lost");
});

test("a consumer that stops reading releases the upload", async () => {
  let isReleased = false;
  async function* upload() {
    try {
      for (;;) yield Buffer.from("Ann,ann@example.com\n".repeat(1000));
    } finally {
      isReleased = true;
    }
  }
  const list = await openListFile(upload(), LIMITS);
  for await (const batch of list.batches) if (batch.length > 0) break;
  expect(isReleased).toBe(true);
});

test.each(["x", "@", "a@b.cd", '""'])(
  "a thousand columns of %j come in small batches, and the event loop runs in between",
  async (cell) => {
    const row = `${Array(1000).fill(cell).join(",")}\n`;
    const list = await openListFile(chunksOf(Buffer.from(row.repeat(400))), LIMITS);
    let turns = 0;
    let isDone = false;
    const countTurn = () => {
      turns++;
      if (!isDone) setImmediate(countTurn);
    };
    setImmediate(countTurn);
    let rows = 0;
    let turnsBefore = -1;
    for await (const batch of list.batches) {
      expect(batch.flat().length).toBeLessThanOrEqual(20_000);
      expect(turns).toBeGreaterThan(turnsBefore);
      turnsBefore = turns;
      rows += batch.length;
    }
    isDone = true;
    expect(rows).toBeGreaterThanOrEqual(399); // the first may be a header
  },
);

test("very long rows come in batches of the same size", async () => {
  const row = `ann@example.com,${Array(400).fill("y".repeat(1000)).join(",")}\n`;
  const list = await openListFile(chunksOf(Buffer.from(row.repeat(40))), LIMITS);
  const batches: string[][][] = [];
  for await (const batch of list.batches) batches.push(batch);
  expect(list.sampleRows).toHaveLength(5);
  expect(batches.flat()).toHaveLength(40);
  expect(Math.max(...batches.map((batch) => batch.flat().join().length))).toBeLessThan(1024 * 1024);
});

test("a header of at signs only is parsed in linear time", async () => {
  const listUnder = (count: number) => `${"@".repeat(count)} x,name\nann@example.com,Ann\n`;
  const sizes = { from: listUnder(16_250), to: listUnder(65_000) };
  expect(await growth((file) => read(file), sizes)).toBeLessThan(LINEAR_AT_FOURFOLD);
  expect((await read(sizes.to)).suggested).toMatch(/^@+$/);
});

test.each(["=", "+", "-", "@", "."])(
  "%s cannot be declared the delimiter, because emails or formulas contain it",
  async (sign) => {
    const list = await read(`sep=${sign}\nemail,name\nann@example.com,Ann\n`);
    expect(list.delimiter).toBe(",");
  },
);
