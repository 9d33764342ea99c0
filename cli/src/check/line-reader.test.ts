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

test("lines are the same however the bytes are dealt out", async () => {
  const bytes = Buffer.from("\ufeffann@bücher.de\r\n\r\n用户@shop.io\nU+2028 \u2028 stays\nlast");
  const expected = ["ann@bücher.de", "", "用户@shop.io", "U+2028 \u2028 stays", "last"];
  expect(await read([bytes])).toEqual(expected);
  expect(await read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
});

test("a line end at the end begins no further line", async () => {
  expect(await read(["a\nb\n"])).toEqual(["a", "b"]);
  expect(await read([])).toEqual([]);
});

test("a long line is cut, between two characters, and is still one line", async () => {
  expect(await read(["x".repeat(70), "x".repeat(70), "\nnext\n"])).toEqual(["x".repeat(100), "next"]);
  expect(await read([`x${"ü".repeat(80)}\nnext`])).toEqual([`x${"ü".repeat(49)}`, "next"]);
});
