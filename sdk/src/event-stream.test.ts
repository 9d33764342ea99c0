import { expect, test } from "vitest";
import { eventsIn, type ServerEvent } from "./event-stream.ts";

async function eventsOf(text: string, pieceBytes: number): Promise<ServerEvent[]> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += pieceBytes)
        controller.enqueue(bytes.subarray(at, at + pieceBytes));
      controller.close();
    },
  });
  const events: ServerEvent[] = [];
  for await (const event of eventsIn(body)) events.push(event);
  return events;
}

const STREAM =
  ': hello\n\nevent: progress\ndata: {"a":"é"}\n\nretry: 3000\nid\ndata:one\r\ndata: two\r\n\r\nevent: x\rdata\r\revent: end\ndata: cut off';

test.for([1, 2, 3, 1000])("events are read alike in pieces of %i bytes", async (pieceBytes) => {
  expect(await eventsOf(STREAM, pieceBytes)).toEqual([
    { name: "progress", data: '{"a":"é"}' },
    { name: "message", data: "one\ntwo" },
    { name: "x", data: "" },
  ]);
});

test.for([
  ["in one line", `data: ${"x".repeat(1_100_000)}`],
  ["in many", "data: 0123456789\n".repeat(100_000)],
])("an event without end is given up, %s", async ([, text]) => {
  await expect(eventsOf(text!, 65_536)).rejects.toThrow("too long");
});
