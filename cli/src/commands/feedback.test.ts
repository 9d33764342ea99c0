import { expect, test } from "vitest";
import { inWords } from "./feedback.ts";

test("every row that was not stored is accounted for, and what was not understood is shown without harm", () => {
  const text = inWords({
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
    "  900 of them about a mailbox that had been checked before",
    "  1 about a mailbox of which something newer is known",
    "  3 ignored: soft bounces, delays, the sandbox, or of too long ago",
    "  2 not understood",
    expect.stringMatching(/row 7: “.\[31mboom” is not/),
    "    row 9: There is no email in it.",
  ]);
  expect(text).not.toContain("\u001b");
});
