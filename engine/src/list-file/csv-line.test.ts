import fc from "fast-check";
import { expect, test } from "vitest";
import { csvLine } from "./csv-line.ts";
import { createCsvParser } from "./csv-parser.ts";
import { VERDICT_COLUMNS, verdictCells } from "./verdict-columns.ts";

test.each([
  ["=1+1", "'=1+1"],
  ["+A1", "'+A1"],
  ["-2+cmd|' /C calc'!A0", "\"'-2+cmd|' /C calc'!A0\""],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["  =1+1", "'  =1+1"],
  ["\tx", '"\'\tx"'],
  ["\rx", '"\'\rx"'],
  ["＝1+1", "'＝1+1"],
  ["-5", "-5"],
  ["+4.2", "+4.2"],
  ["-1.5E-7", "-1.5E-7"],
  ["+491701234", "+491701234"],
  ["+49 (170) 12 34", "+49 (170) 12 34"],
  ["-", "-"],
  ["a=b", "a=b"],
  ["ann@example.com", "ann@example.com"],
  ['say "hi"', '"say ""hi"""'],
  ["a;b", '"a;b"'],
  ["", '""'],
])("the cell %j is written as %j", (cell, written) => {
  expect(csvLine([cell], ",")).toBe(`${written}\r\n`);
});

test("any cells written with any delimiter are parsed back unchanged", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", "1", '"', ",", ";", "^", "\n", "\r", " ", "é") });
  const row = fc.array(cell, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(row), fc.constantFrom(",", ";", "\t", "|", "^"), (rows, delimiter) => {
      const parser = createCsvParser({ delimiter, maxColumns: 10, maxCellChars: 1000 });
      const text = rows.map((cells) => csvLine(cells, delimiter)).join("");
      const unmarked = [...parser.push(text), ...parser.end()].map((cells) =>
        cells.map((text) => text.replace(/^'(?=[\r\n])/, "")),
      );
      expect(unmarked).toEqual(rows);
    }),
    { numRuns: 500 },
  );
});

test("a verdict fills its columns, and a row without one leaves them blank", () => {
  const cells = verdictCells({
    status: "risky",
    sub_status: "catch_all",
    confidence: 0.6,
    is_valid: false,
    safe_to_send: false,
    score: 55,
    suggestion: null,
    provider: "other",
    is_catchall: true,
    is_disposable: false,
    is_role_based: false,
    is_free: false,
    smtp_code: 250,
    checked_at: "2026-01-02T03:04:05.000Z",
    is_duplicate: true,
    reason: "The server accepts any address.",
    flags: ["catch_all", "subaddressed"],
    mx_host: "mx.shop.test",
    ai_reasons: [],
    recommendation: "caution",
  });
  expect(Object.fromEntries(VERDICT_COLUMNS.map((column, index) => [column, cells[index]]))).toMatchObject({
    mailvet_status: "risky",
    mailvet_confidence: "0.6",
    mailvet_is_catchall: "true",
    mailvet_suggestion: "",
    mailvet_smtp_code: "250",
    mailvet_is_duplicate: "true",
    mailvet_flags: "catch_all | subaddressed",
    mailvet_recommendation: "caution",
  });
  expect(verdictCells(undefined)).toEqual(VERDICT_COLUMNS.map(() => ""));
});
