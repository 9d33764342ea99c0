import { expect, test } from "vitest";
import { csvLine } from "./csv-line.ts";
import { emailIn, looksLikeEmail } from "./email-cell.ts";

test.each([
  [undefined, ""],
  ["", ""],
  [" \t\u00a0", ""],
  [" ann@example.com ", "ann@example.com"],
  ["Ann <ann@example.com>", "ann@example.com"],
  ['"Doe, Ann" < ann@example.com >', "ann@example.com"],
  ['"Ann <ann@example.com>"', "ann@example.com"],
  ["<mailto:ann@example.com?subject=Hi>", "ann@example.com"],
  ["MAILTO:ann@example.com", "ann@example.com"],
  ['"ann@example.com"', "ann@example.com"],
  ["'ann@example.com'", "ann@example.com"],
  ['"ann lee"@example.com', '"ann lee"@example.com'],
  ["o'brien@example.com", "o'brien@example.com"],
  ["Ann <>", "Ann <>"],
  ["no email at all", "no email at all"],
])("the email in %j is %j", (cell, email) => {
  expect(emailIn(cell)).toBe(email);
});

test.each(["-ann@example.com", "+ann@example.com", "=ann@example.com", "@example.com"])(
  "%s is unchanged after neutralisation for a spreadsheet",
  (email) => {
    const cell = csvLine([email], ",").trimEnd();
    expect(cell).toBe(`'${email}`);
    expect(emailIn(cell)).toBe(email);
  },
);

test.each([
  ["ann@example.com", true],
  ["Ann <ann@example.com>", true],
  ["ann@bücher.example", true],
  ["ann@example", false],
  ["@ann", false],
  ["ann@@example.com", false],
  ["write to ann@example.com", false],
  ["ann@example.com, bob@example.com", false],
  ["https://example.com/@ann.b", false],
  [`${"x".repeat(5000)}@example.com`, false],
])("%s looks like an email: %s", (cell, looks) => {
  expect(looksLikeEmail(cell)).toBe(looks);
});

test.each(["\u200bann@example.com", "ann\u00ad@example.com", "\u2060ann@exam\u200dple.com\u200e"])(
  "invisible characters in a pasted address are ignored (%j)",
  (cell) => {
    expect(emailIn(cell)).toBe("ann@example.com");
  },
);
