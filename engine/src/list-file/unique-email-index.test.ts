import fc from "fast-check";
import { expect, test } from "vitest";

import { createUniqueEmailIndex, emailIdentity } from "./unique-email-index.ts";

test("an email is recognised in any case, domain spelling and redundant quotes", () => {
  const index = createUniqueEmailIndex();
  const rows = [
    "Ann@Bücher.example",
    "",
    "ann@xn--bcher-kva.EXAMPLE",
    ' "ann"@bücher.example ',
    "bob@x.io",
    "BOB@x.io",
  ];
  expect(rows.map((email) => index.add(email))).toEqual([1, 0, 1, 1, 5, 5]);
  expect(index).toMatchObject({ rows: 6, emails: 5, unique: 2 });
});

test("malformed text equals only itself", () => {
  const index = createUniqueEmailIndex();
  expect(["none", "n/a", "NONE ", "ann@", "Ann@"].map((text) => index.add(text))).toEqual([1, 2, 1, 4, 4]);
  expect(emailIdentity("none")).not.toBe(emailIdentity(" none@example.com"));
});

test("the index agrees with a plain map, row by row", () => {
  const emails = fc.array(
    fc.constantFrom("", "a@x.io", "A@x.io", "b@x.io", "b", "ü@x.io", "x".repeat(70_000)),
  );
  fc.assert(
    fc.property(emails, (list) => {
      const index = createUniqueEmailIndex();
      const first = new Map<string, number>();
      for (const [position, email] of list.entries()) {
        const key = emailIdentity(email);
        if (email !== "" && !first.has(key)) first.set(key, position + 1);
        expect(index.add(email)).toBe(email === "" ? 0 : first.get(key));
      }
      expect(index.unique).toBe(first.size);
    }),
    { numRuns: 100 },
  );
});

test("a hundred thousand emails that differ in one digit are all distinct, and all found again", () => {
  const index = createUniqueEmailIndex();
  const count = 100_000;
  for (let i = 0; i < count; i++) index.add(`user${i}@example.com`);
  expect(index.unique).toBe(count);
  for (let i = 0; i < count; i += 97) expect(index.add(`USER${i}@example.com`)).toBe(i + 1);
  expect(index.unique).toBe(count);
});
