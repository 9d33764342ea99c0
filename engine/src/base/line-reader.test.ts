import { expect, test } from "vitest";
import { linesOf } from "./line-reader.ts";

async function read(chunks: readonly (Buffer | string)[], maxBytes = 100): Promise<string[]> {
  async function* source() {
    yield* chunks;
  }
  const lines: string[] = [];
  for await (const line of linesOf(source(), maxBytes)) lines.push(line);
  return lines;
}

test("lines do not depend on chunk boundaries", async () => {
  const bytes = Buffer.from("\ufeffann@bücher.de\r\n\r\n用户@shop.io\nU+2028 \u2028 stays\nlast");
  const expected = ["ann@bücher.de", "", "用户@shop.io", "U+2028 \u2028 stays", "last"];
  expect(await read([bytes])).toEqual(expected);
  expect(await read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
});

test("a final line feed does not start another line", async () => {
  expect(await read(["a\nb\n"])).toEqual(["a", "b"]);
  expect(await read([])).toEqual([]);
});

test("a long line is cut at a character boundary and stays one line", async () => {
  expect(await read(["x".repeat(70), "x".repeat(70), "\nnext\n"])).toEqual(["x".repeat(100), "next"]);
  expect(await read([`x${"ü".repeat(80)}\nnext`])).toEqual([`x${"ü".repeat(49)}`, "next"]);
});
