import { expect, test } from "vitest";
import { eventsIn, type ServerEvent } from "./event-stream.ts";

async function eventsOf(text: string, chunkBytes: number): Promise<ServerEvent[]> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunkBytes)
        controller.enqueue(bytes.subarray(at, at + chunkBytes));
      controller.close();
    },
  });
  const events: ServerEvent[] = [];
  for await (const event of eventsIn(body)) events.push(event);
  return events;
}

const STREAM =
  ': hello\n\nevent: progress\ndata: {"a":"é"}\n\nretry: 3000\nid\ndata:one\r\ndata: two\r\n\r\nevent: x\rdata\r\revent: end\ndata: cut off';

test.for([1, 2, 3, 1000])("events are parsed from chunks of %i bytes", async (chunkBytes) => {
  expect(await eventsOf(STREAM, chunkBytes)).toEqual([
    { name: "progress", data: '{"a":"é"}' },
    { name: "message", data: "one\ntwo" },
    { name: "x", data: "" },
  ]);
});

test.for([
  ["in one line", `data: ${"x".repeat(1_100_000)}`],
  ["in many", "data: 0123456789\n".repeat(100_000)],
])("an endless event is aborted, %s", async ([, text]) => {
  await expect(eventsOf(text!, 65_536)).rejects.toThrow("too long");
});
