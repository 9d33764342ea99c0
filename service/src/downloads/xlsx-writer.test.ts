import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { DownloadRow } from "./download-rows.ts";
import { xlsxFile } from "./xlsx-writer.ts";

/** Batches of 100 incompressible rows of about 1 KB; `read` counts the batches, `isClosed` whether reading has ended. */
function rowSource(batches: number, error?: Error) {
  const state = { read: 0, isClosed: false };
  async function* rows(): AsyncGenerator<DownloadRow[]> {
    try {
      for (; state.read < batches; state.read++) {
        yield Array.from({ length: 100 }, (_, number) => ({
          number,
          cells: [randomBytes(500).toString("hex")],
          verdict: undefined,
          more: [],
        }));
      }
      if (error) throw error;
    } finally {
      state.isClosed = true;
    }
  }
  return { state, file: xlsxFile(["text"], rows(), ({ cells }) => cells) };
}

test("rows are read only while the file is read", async () => {
  const { state, file } = rowSource(1000); // about 100 MB
  const reader = file[Symbol.asyncIterator]();
  expect(state.read).toBe(0);
  for (let chunks = 0; chunks < 20; chunks++) await reader.next();
  await untilIdle(() => state.read);
  expect(state.read).toBeLessThan(200);
  await reader.return?.();
});

test("a reader that stops ends the reading of rows", async () => {
  const { state, file } = rowSource(1000);
  for await (const _ of file) if (state.read > 0) break;
  await expect.poll(() => state.isClosed).toBe(true);
  expect(state.read).toBeLessThan(1000);
});

test("an error in the rows reaches the reader instead of ending the file", async () => {
  const { file } = rowSource(20, new Error("rows are gone"));
  await expect(readAll(file)).rejects.toThrow("rows are gone");
});

/** Until the value has not changed for a hundred turns of the event loop. */
async function untilIdle(value: () => number): Promise<void> {
  for (let turns = 0, last = value(); turns < 100; turns++) {
    await new Promise(setImmediate);
    if (value() !== last) turns = 0;
    last = value();
  }
}

async function readAll(file: AsyncIterable<Buffer>): Promise<number> {
  let sizeBytes = 0;
  for await (const chunk of file) sizeBytes += chunk.length;
  return sizeBytes;
}
