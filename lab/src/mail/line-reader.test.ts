import { expect, test } from "vitest";
import { createLineReader } from "./line-reader.ts";

test("lines do not depend on chunk boundaries or the kind of line break", () => {
  const reader = createLineReader(100);
  const bytes = Buffer.from("EHLO ä.example\r\nRSET\n\r\nQU");
  const lines = [...bytes].flatMap((byte) => reader.push(Buffer.of(byte)));
  expect(lines).toEqual(["EHLO ä.example", "RSET", ""]);
  expect(reader.push(Buffer.from("IT\r\n"))).toEqual(["QUIT"]);
});

test("a line over the limit is undefined once, and the next line is read normally", () => {
  const reader = createLineReader(10);
  expect(reader.push(Buffer.from("x".repeat(1_000)))).toEqual([]);
  expect(reader.push(Buffer.from("x\r\nNOOP\r\n"))).toEqual([undefined, "NOOP"]);
});
