import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { growth, LINEAR_AT_FOURFOLD } from "../../test/growth.ts";
import { type CsvShape, createCsvParser } from "./csv-parser.ts";
import { ListFileError } from "./list-file-error.ts";

const SHAPE: CsvShape = { delimiter: ",", maxColumns: 1000, maxCellChars: 65_536 };

function rowsOf(text: string, shape: Partial<CsvShape> = {}): string[][] {
  const parser = createCsvParser({ ...SHAPE, ...shape });
  return [...parser.push(text), ...parser.end()];
}

function rowsOfChunks(chunks: readonly string[], shape: Partial<CsvShape> = {}): string[][] {
  const parser = createCsvParser({ ...SHAPE, ...shape });
  return [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.end()];
}

const nasty = fc.constantFrom(
  ",",
  '"',
  '"',
  "\n",
  '""',
  "\r\n",
  "\n",
  "\r",
  ";",
  " ",
  "a",
  "ü",
  "ann@example.com",
);
const anyText = fc.array(nasty, { maxLength: 40 }).map((parts) => parts.join(""));
const lineBreak = fc.constantFrom("\r\n", "\n", "\r");
const wellFormedCell = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", " ", "é", "@", ".", ";") }),
  fc
    .string({ unit: fc.constantFrom("a", '""', ",", "\n", "\r\n", "\r", " ") })
    .map((inside) => `"${inside}"`),
  fc.string({ minLength: 1, unit: fc.constantFrom("a", " ", "x") }).map((text) => `${text}"quoted" inch`),
);

test("same result as csv-parse for quotes, line breaks in cells, mixed line ends and ragged rows", () => {
  const files = fc.array(fc.tuple(fc.array(wellFormedCell, { minLength: 1, maxLength: 5 }), lineBreak));
  fc.assert(
    fc.property(files, (lines) => {
      const text = lines.map(([cells, end]) => cells.join(",") + end).join("");
      const theirs: string[][] = parse(text, {
        record_delimiter: ["\r\n", "\n", "\r"],
        relax_quotes: true,
        relax_column_count: true,
        skip_empty_lines: true,
      });
      expect(rowsOf(text)).toEqual(theirs);
    }),
    { numRuns: 500 },
  );
});

test("the rows do not depend on the chunking", () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.nat(60), { maxLength: 12 }), (text, cuts) => {
      const at = [0, ...cuts.filter((cut) => cut <= text.length).sort((a, b) => a - b), text.length];
      const chunks = at.slice(1).map((end, index) => text.slice(at[index], end));
      expect(rowsOfChunks(chunks)).toEqual(rowsOf(text));
      expect(rowsOfChunks([...text])).toEqual(rowsOf(text));
    }),
    { numRuns: 500 },
  );
});

test("recovery from unclosed quotes does not depend on the chunking", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const shape = { maxCellChars: 12 };
      const whole = attempt(() => rowsOf(text, shape));
      expect(attempt(() => rowsOfChunks([...text], shape))).toEqual(whole);
    }),
    { numRuns: 500 },
  );
});

test("nothing but quotes, line breaks and blanks is lost", () => {
  const left = (text: string) => text.replace(/["\r\n, ]/g, "");
  fc.assert(
    fc.property(anyText, (text) => {
      expect(left(rowsOf(text).flat().join(""))).toBe(left(text));
    }),
    { numRuns: 500 },
  );
});

test.each<[what: string, text: string, rows: string[][]]>([
  ["a quote inside a cell is text", '5" pipe,6"\n', [['5" pipe', '6"']]],
  ["text after a closing quote is kept", '"Doe, Ann" <a@x.io>,2\n', [['"Doe, Ann" <a@x.io>', "2"]]],
  ["blanks after a closing quote are ignored", '"a\nb" ,"c"  \n', [["a\nb", "c"]]],
  [
    "an unclosed quote swallows no rows",
    '"Bob,b@x.io\nAnn,a@x.io',
    [
      ['"Bob', "b@x.io"],
      ["Ann", "a@x.io"],
    ],
  ],
  [
    "two unclosed quotes do not pair up",
    '"Bob,1\n"Ann,2\n',
    [
      ['"Bob', "1"],
      ['"Ann', "2"],
    ],
  ],
  [
    "empty cells at the end of a row are cells",
    "a,,\n,\n",
    [
      ["a", "", ""],
      ["", ""],
    ],
  ],
  ["a quoted empty cell is a row, an empty line is none", '""\n\n\r\n\r', [[""]]],
  [
    "the last line needs no line break",
    "a,b\nc,",
    [
      ["a", "b"],
      ["c", ""],
    ],
  ],
])("%s", (_, text, rows) => {
  expect(rowsOf(text)).toEqual(rows);
});

test("a byte order mark at the start of a row is not a part of its first cell", () => {
  const chunks = [
    '\ufeff"Doe, Ann",a@x.io\r\n',
    '\ufeff"Roe, Bob",b@x.io\r\n\ufeff',
    "\r\n\ufeffc,\ufeffc@x.io\ufeff",
  ];
  const rows = [
    ["Doe, Ann", "a@x.io"],
    ["Roe, Bob", "b@x.io"],
    ["c", "\ufeffc@x.io\ufeff"],
  ];
  expect(rowsOfChunks(chunks)).toEqual(rows);
  expect(rowsOfChunks([...chunks.join("")])).toEqual(rows);
});

test("a quote whose partner is a thousand lines away is a plain character", () => {
  const lines = (count: number) => `"${"x\n".repeat(count)}",last\n`;
  expect(rowsOf(lines(1000))).toHaveLength(1);
  expect(rowsOf(lines(1001))).toHaveLength(1002);
});

test("a quote that would open an oversized cell is a plain character", () => {
  const text = `a,"b\n${"row,cell\n".repeat(20_000)}`;
  expect(rowsOf(text)).toHaveLength(20_001);
});

test.each([
  ["nothing but quotes, line by line", '"\n'.repeat(500_000)],
  ["pairs of quotes behind an opening one", `"${'""\n'.repeat(330_000)}`],
  ["opening quotes that never close", 'a,"b\n'.repeat(200_000)],
  ["three quotes to a line", '"""\n'.repeat(250_000)],
  ["runs of quotes, odd and even", '"x\n"",""",""""\n'.repeat(60_000)],
])("a megabyte of quotes is parsed in linear time: %s", async (_, text) => {
  const sizes = { from: text.slice(0, text.length / 4), to: text };
  expect(await growth(parseInChunks, sizes)).toBeLessThan(LINEAR_AT_FOURFOLD);
});

function parseInChunks(text: string): void {
  const parser = createCsvParser(SHAPE);
  for (let at = 0; at < text.length; at += 32_768) parser.push(text.slice(at, at + 32_768));
  parser.end();
}

test.each<[fault: string, text: string]>([
  ["Row 2 of the file has a cell of more than 65,536 characters, in column 1.", `a\n${"x".repeat(70_000)}`],
  [
    "Row 1 of the file has a cell of more than 65,536 characters, in column 3.",
    `a,b,${"x".repeat(70_000)},c`,
  ],
  ["Row 1 of the file has more than 1,000 columns.", ",".repeat(1000)],
  ["Row 3 of the file is longer than 1,048,576 characters.", `a\nb\n${`${"x".repeat(60_000)},`.repeat(20)}`],
])("what cannot be a table is rejected: %s", (fault, text) => {
  expect(() => rowsOf(text)).toThrow(new ListFileError("not_a_table", fault));
});

function attempt(work: () => string[][]): string[][] | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof ListFileError) return error.message;
    throw error;
  }
}
