import { expect, test } from "vitest";
import { createEmailColumnFinder } from "./email-column.ts";

function suggestedFor(columns: string[], rows: string[][]): string | undefined {
  const finder = createEmailColumnFinder(columns);
  finder.add(rows);
  return finder.suggested === undefined ? undefined : columns[finder.suggested];
}

test("cells decide, whatever the header says", () => {
  const rows = [
    ["Ann", "ann@example.com"],
    ["Bob", "bob@example.com"],
  ];
  expect(suggestedFor(["email", "notes"], rows)).toBe("notes");
});

test("a full column wins over an almost empty one and over a notes column", () => {
  const rows = Array.from({ length: 50 }, (_, i) => [
    i === 0 ? "cc@example.com" : "",
    i % 10 === 0 ? "broken" : `user${i}@example.com`,
    i % 3 === 0 ? "boss@example.com" : "called twice",
  ]);
  expect(suggestedFor(["cc", "contact", "remarks"], rows)).toBe("contact");
});

test.each([
  [["manager_email", "email"], "email"],
  [["from", "E-Mail-Adresse"], "E-Mail-Adresse"],
  [["private", "work email"], "work email"],
  [["from", "to"], "from"],
])("between equal columns the names decide: %j", (columns, suggested) => {
  const rows = Array.from({ length: 9 }, (_, i) => [`a${i}@example.com`, `b${i}@example.com`]);
  expect(suggestedFor(columns, rows)).toBe(suggested);
});

test("emails are counted by column, cells beyond the last column are ignored", () => {
  const finder = createEmailColumnFinder(["a", "b"]);
  finder.add([["x@example.com", "-", "z@example.com"], ["y@example.com"], []]);
  expect(finder.emailCounts).toEqual([2, 0]);
});

test("without a cell that looks like an email no column is suggested", () => {
  expect(suggestedFor(["email"], [["ann"], ["@bob"], [""]])).toBeUndefined();
  expect(suggestedFor(["email"], [])).toBeUndefined();
});
