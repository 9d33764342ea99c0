import { expect, test } from "vitest";
import { growth } from "../../../test/growth.ts";
import { generatedFormOf } from "./generated-local-part.ts";

test.each([
  ["3f2504e0-4f89-11d3-9a0c-0305e82c3301", "uuid"],
  ["3F2504E0-4F89-11D3-9A0C-0305E82C3301", "uuid"],
  ["asdf", "row_run"],
  ["QWERTY123", "row_run"],
  ["lkjhgfdsa", "row_run"],
  ["wert", undefined], // a word and a surname
  ["asdfa", undefined], // left to the model
  ["mnbvcxz0000001", undefined],
  ["d41d8cd98f00b204e9800998ecf8427e", "digest"],
  ["9e107d9d372bb6826bd8", "digest"],
  ["491701234567", "number"],
  ["SRS0=HHH=TT=example.org=ann", "envelope"],
  ["prvs=1234567890=ann", "envelope"],
  ["bounces+12345-ann=example.org", "envelope"],
])("%s has a generated form", (local, form) => {
  expect(generatedFormOf(local)).toBe(form);
});

test.each([
  "ann.lee",
  "deadbeef",
  "facade",
  "fadedbeefcafebabeface", // letters only: words can be spelled with a to f
  "bounce",
  "bounces",
  "bouncer-42",
  "srs",
  "jan1985",
  "007",
  "",
])("%s has no generated form", (local) => {
  expect(generatedFormOf(local)).toBeUndefined();
});

test("only the first characters of a very long name are examined", async () => {
  const read = (name: string) => {
    for (let i = 0; i < 100; i++) if (generatedFormOf(name) !== undefined) throw new Error(name);
  };
  expect(await growth(read, { from: "a1".repeat(500), to: "a1".repeat(500_000) })).toBeLessThan(10);
});
