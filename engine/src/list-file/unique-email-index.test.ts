import fc from "fast-check";
import { expect, test } from "vitest";
import { emailIdentity } from "./email-identity.ts";
import { createUniqueEmailIndex } from "./unique-email-index.ts";

test("an email is known again in any case, spelling of its domain and needless quotes", () => {
  const census = createUniqueEmailIndex();
  const rows = [
    "Ann@Bücher.example",
    "",
    "ann@xn--bcher-kva.EXAMPLE",
    ' "ann"@bücher.example ',
    "bob@x.io",
    "BOB@x.io",
  ];
  expect(rows.map((email) => census.add(email))).toEqual([1, 0, 1, 1, 5, 5]);
  expect(census).toMatchObject({ rows: 6, emails: 5, unique: 2 });
});

test("what is no address is itself only", () => {
  const census = createUniqueEmailIndex();
  expect(["none", "n/a", "NONE ", "ann@", "Ann@"].map((text) => census.add(text))).toEqual([1, 2, 1, 4, 4]);
  expect(emailIdentity("none")).not.toBe(emailIdentity(" none@example.com"));
});

test("the census agrees with a plain map, row by row", () => {
  const emails = fc.array(
    fc.constantFrom("", "a@x.io", "A@x.io", "b@x.io", "b", "ü@x.io", "x".repeat(70_000)),
  );
  fc.assert(
    fc.property(emails, (list) => {
      const census = createUniqueEmailIndex();
      const first = new Map<string, number>();
      for (const [index, email] of list.entries()) {
        const key = emailIdentity(email);
        if (email !== "" && !first.has(key)) first.set(key, index + 1);
        expect(census.add(email)).toBe(email === "" ? 0 : first.get(key));
      }
      expect(census.unique).toBe(first.size);
    }),
    { numRuns: 100 },
  );
});

test("a hundred thousand emails that differ in one digit are all told apart, and all found again", () => {
  const census = createUniqueEmailIndex();
  const count = 100_000;
  for (let i = 0; i < count; i++) census.add(`user${i}@example.com`);
  expect(census.unique).toBe(count);
  for (let i = 0; i < count; i += 97) expect(census.add(`USER${i}@example.com`)).toBe(i + 1);
  expect(census.unique).toBe(count);
});
