import { expect, test } from "vitest";
import { suggestLocal } from "./local-part-typo.ts";

test.each([
  ["jhon.smith", "john.smith"],
  ["john.simth", "john.smith"],
  ["jessica.johnsno", "jessica.johnson"],
  ["christpher.miller", "christopher.miller"],
  ["smith.jhon", "smith.john"],
  ["thmoas.mueller", "thomas.mueller"],
  ["Jhon.Smith2+news", "John.Smith2+news"],
  ["JESSCIA_MILLER", "JESSICA_MILLER"],
])("%s is corrected to %s", (typed, meant) => expect(suggestLocal(typed)).toBe(meant));

test.each([
  ["micheal.jones", "a name of its own"],
  ["rebeca.collado", "a spelling of its own"],
  ["jhon", "nothing beside it that is known"],
  ["jhon.simth", "two words that are not known"],
  ["zofka.miller", "near no frequent name"],
  ["support.miller", "a function"],
  ["j.simth", "an initial is not a name"],
  ["иван.smith", "another script"],
  ["", "nothing"],
])("%s is unchanged: %s", (local) => expect(suggestLocal(local)).toBeUndefined());

test("overlong input is not processed", () => {
  expect(suggestLocal(`${"a".repeat(100_000)}.smith`)).toBeUndefined();
});
