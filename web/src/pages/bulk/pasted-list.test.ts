import { expect, test } from "vitest";
import { pastedList } from "./pasted-list.ts";

test.each([
  ["a@x.io\nb@x.io\r\n\nc@x.io", ["a@x.io", "b@x.io", "c@x.io"]],
  ["a@x.io, b@x.io;c@x.io | d@x.io", ["a@x.io", "b@x.io", "c@x.io", "d@x.io"]],
  ["a@x.io b@x.io  c@x.io", ["a@x.io", "b@x.io", "c@x.io"]],
  ["Ann Miller <a@x.io>, Bob <b@x.io>", ["Ann Miller <a@x.io>", "Bob <b@x.io>"]],
  ['"Doe, Ann" <a@x.io>; b@x.io', ['""Doe, Ann"" <a@x.io>', "b@x.io"]],
  ['5" nails, a@x.io', ['5"" nails', "a@x.io"]],
])("%j", (text, entries) => {
  expect(pastedList(text)).toBe(entries.map((entry) => `"${entry}"\r\n`).join(""));
});

test("cells of a spreadsheet stay a table", () => {
  const cells = "name\temail\nAnn\ta@x.io";
  expect(pastedList(cells)).toBe(cells);
});
