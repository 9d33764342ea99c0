import { expect, test } from "vitest";
import { readCommand } from "./command.ts";

test.each([
  ["RCPT TO:<ann@lab.example>", "ann@lab.example"],
  ["rcpt to: <Ann@lab.example> NOTIFY=NEVER", "Ann@lab.example"],
  ['RCPT TO:<"a>b"@lab.example>', '"a>b"@lab.example'],
  ["MAIL FROM:<>", ""],
  ["MAIL FROM:ann@lab.example", undefined],
  ["RCPT FROM:<ann@lab.example>", undefined],
  ["RCPT", undefined],
])("the address in %s is read", (line, address) => {
  expect(readCommand(line).address).toBe(address);
});

test("parameters are upper-cased, and unknown verbs become UNKNOWN", () => {
  expect(readCommand("mail from:<a@b.example> smtputf8 body=8bitmime")).toMatchObject({
    verb: "MAIL",
    parameters: ["SMTPUTF8", "BODY=8BITMIME"],
  });
  expect(readCommand("__proto__ x")).toMatchObject({ verb: "UNKNOWN", stage: "other" });
});
