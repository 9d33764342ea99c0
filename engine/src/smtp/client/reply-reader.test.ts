import fc from "fast-check";
import { expect, test } from "vitest";
import type { Reply } from "../reply.ts";
import { ReplyReader } from "./reply-reader.ts";

function read(...chunks: (string | Uint8Array)[]) {
  const reader = new ReplyReader();
  const replies: Reply[] = [];
  for (const chunk of chunks) {
    reader.feed(Buffer.from(chunk as string));
    for (let reply = reader.take(); reply; reply = reader.take()) replies.push(reply);
  }
  return { replies, violation: reader.violation };
}

test("a one-line reply is complete at its line break", () => {
  expect(read("220 mx.shop.test ESMTP")).toEqual({ replies: [], violation: undefined });
  expect(read("220 mx.shop.test ESMTP\r\n").replies).toEqual([{ code: 220, lines: ["mx.shop.test ESMTP"] }]);
  expect(read("250\n").replies).toEqual([{ code: 250, lines: [] }]);
});

test("a multi-line reply is one reply, and one packet may contain two replies", () => {
  const { replies } = read("250-mx.shop.test\r\n250-PIPELINING\r\n250 SMTPUTF8\r\n550 5.1.1 no\r\n");
  expect(replies).toEqual([
    { code: 250, lines: ["mx.shop.test", "PIPELINING", "SMTPUTF8"] },
    { code: 550, enhanced: "5.1.1", lines: ["no"] },
  ]);
});

test("text that is not UTF-8 is read as Latin-1, so that its ASCII words survive", () => {
  const { replies } = read(Buffer.from("550 bo\xeete pleine\r\n", "latin1"));
  expect(replies[0]?.lines).toEqual(["boîte pleine"]);
});

test.each([
  ["another protocol", "HTTP/1.1 400 Bad Request\r\n"],
  ["a code out of range", "199 hm\r\n"],
  ["a code of four digits", "2500 hm\r\n"],
  ["an empty line", "\r\n"],
  ["two codes in one reply", "250-yes\r\n550 no\r\n"],
  ["a line that is too long", `250 ${"x".repeat(66_000)}\r\n`],
  ["a line that does not end", `250 ${"x".repeat(66_000)}`],
  ["too many lines", "250-x\r\n".repeat(14_000)],
  ["too many bytes", `250-${"x".repeat(3000)}\r\n`.repeat(22)],
  ["more replies than commands", "250 x\r\n".repeat(1000)],
])("%s ends reading", (_, text) => {
  const reader = new ReplyReader();
  reader.feed(Buffer.from(text));
  expect(reader.violation).toBeTypeOf("string");
  while (reader.take()); // replies before the violation still count
  reader.feed(Buffer.from("250 ok\r\n"));
  expect(reader.take()).toBeUndefined(); // replies after it do not
});

test.each([
  ["many lines", "550-5.1.1 please note\r\n".repeat(2500)],
  ["long lines", `550-5.1.1 ${"x".repeat(20_000)}\r\n`.repeat(3)],
])("of a reply with %s, up to 64 KB, the first and the last line are kept", (_, lines) => {
  const { replies, violation } = read(`550-5.1.1 first\r\n${lines}550 5.1.1 User unknown\r\n`);
  expect(violation).toBeUndefined();
  expect(replies[0]?.lines[0]).toBe("first");
  expect(replies[0]?.lines.at(-1)).toBe("User unknown");
});

test("reset discards everything received before STARTTLS, partial lines included", () => {
  const reader = new ReplyReader();
  reader.feed(Buffer.from("250 injected\r\n250-half"));
  reader.reset();
  reader.feed(Buffer.from("220 fresh\r\n"));
  expect(reader.take()).toEqual({ code: 220, lines: ["fresh"] });
  expect(reader.take()).toBeUndefined();
});

/** Well-formed and malformed lines. */
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom("220", "250", "451", "550"), fc.constantFrom(" ", "-"), fc.string())
      .map((parts) => parts.join("")),
  },
  { weight: 1, arbitrary: fc.string() },
);
const stream = fc
  .array(line, { maxLength: 40 })
  .map((lines) => Buffer.from(lines.map((text) => `${text.replaceAll("\n", "")}\r\n`).join("")));

test("the replies do not depend on how the stream is split into packets", () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat({ max: 400 }), { maxLength: 30 }), (bytes, cuts) => {
      const places = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b);
      const chunks = [0, ...places].map((start, i) => bytes.subarray(start, places[i] ?? bytes.length));
      expect(read(...chunks)).toEqual(read(bytes));
      expect(read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(read(bytes));
    }),
  );
});

test("random bytes never throw", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), (chunks) => {
      for (const { code } of read(...chunks).replies) expect(code).toBeGreaterThanOrEqual(200);
    }),
  );
});

test("memory stays bounded however much a server sends", () => {
  const chunk = Buffer.alloc(64 * 1024, "x");
  const banner = Buffer.from("220-read on\r\n".repeat(5000));
  const before = process.memoryUsage().arrayBuffers;
  for (const bytes of [chunk, banner]) {
    const reader = new ReplyReader();
    for (let i = 0; i < 2000; i++) reader.feed(bytes);
    expect(reader.violation).toBeDefined();
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
});
