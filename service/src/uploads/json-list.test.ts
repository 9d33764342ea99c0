import { openListFile } from "@mailvet/engine/list-file";
import { expect, test } from "vitest";
import { readJsonList } from "./json-list.ts";

async function* only<T>(item: T): AsyncGenerator<T> {
  yield item;
}

test("long first rows are passed on in pieces before the last one has arrived", async () => {
  const ROWS = 200;
  let sent = 0;
  const document = async function* () {
    yield Buffer.from('{"rows":[');
    for (; sent < ROWS; sent++)
      yield Buffer.from(`${sent === 0 ? "" : ","}{"mail":"a@b.cd","note":"${"x".repeat(100_000)}"}`);
    yield Buffer.from("]}");
  };
  let sentAtFirst: number | undefined;
  let largest = 0;
  let bytes = 0;
  for await (const piece of readJsonList(document(), [], () => {}).text) {
    sentAtFirst ??= sent;
    largest = Math.max(largest, piece.length);
    bytes += piece.length;
  }
  expect(sentAtFirst).toBeLessThan(50);
  expect(largest).toBeLessThan(300_000);
  expect(bytes).toBeGreaterThan(ROWS * 100_000);
});

const CELLS = [
  ["1,001 line breaks", "a line\n".repeat(1001)],
  ["more quotes, doubled, than a cell may have characters, and line breaks", '"\n'.repeat(32_000)],
  ["addresses line by line", "Contacts:\nann@example.com;\nbob@example.com;\n"],
  ["NULs where UTF-16 has them", "a\0".repeat(500)],
  ["delimiters, quotes and blanks", ' "a";"b"\t|,\r\n" '],
] as const;

test.for(CELLS)("a cell of a row is one cell: %s", async ([, text]) => {
  const cells = [text, `"${text}"`, "ann@example.com"];
  const rows = Array.from({ length: 3 }, () => Object.fromEntries(cells.map((cell, n) => [`c${n}`, cell])));
  const list = readJsonList(only(Buffer.from(JSON.stringify({ rows }))), [], () => {});
  const limits = { maxTextBytes: 10_000_000, maxRows: 100, maxCellChars: 200_000, isStrict: true };
  const table = await openListFile(list.text, limits);
  const found: string[][] = [];
  for await (const batch of table.batches) found.push(...batch);
  expect(table.columns).toEqual(["c0", "c1", "c2"]);
  expect(found).toEqual(rows.map(() => cells.map((cell) => cell.replaceAll("\0", "\u{fffd}"))));
});

test("a row with a cell above the limit is refused, not cut at its line breaks", async () => {
  const list = readJsonList(
    only(Buffer.from(JSON.stringify({ rows: [{ mail: "ann@example.com", note: "a\n".repeat(40_000) }] }))),
    [],
    () => {},
  );
  const limits = { maxTextBytes: 10_000_000, maxRows: 100, isStrict: true };
  await expect(openListFile(list.text, limits)).rejects.toMatchObject({
    kind: "not_a_table",
    message: "Row 2 of the file has a cell of more than 65,536 characters, in column 2.",
  });
});
