import { expect, test } from "vitest";
import { summaryText } from "./feedback.ts";

test("every row that was not stored is listed, and unreadable text is escaped", () => {
  const text = summaryText({
    received: 1_006,
    stored: 1_000,
    superseded: 1,
    ignored: 3,
    unreadable: 2,
    matched: 900,
    unreadable_rows: [
      { row: 7, reason: "“\u001b[31mboom” is not understood as an outcome." },
      { row: 9, reason: "There is no email in it." },
    ],
  });
  expect(text.split("\n")).toEqual([
    "1,000 of 1,006 outcomes stored",
    "  900 of them for addresses checked before",
    "  1 skipped: newer results are already stored",
    "  3 ignored: soft bounces, delays, sandbox addresses, or too old",
    "  2 unreadable",
    expect.stringMatching(/row 7: “.\[31mboom” is not/),
    "    row 9: There is no email in it.",
  ]);
  expect(text).not.toContain("\u001b");
});
