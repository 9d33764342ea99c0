import { expect, test } from "vitest";
import { readJsonList } from "./json-list.ts";

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
