import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../test/any-character.ts";
import { parseReply } from "./reply.ts";

test("a multi-line reply is one reply", () => {
  const text = "550-5.1.1 The account does not exist.\r\n550-5.1.1 Check the spelling.\r\n550 5.1.1 Bye";

  expect(parseReply(text)).toEqual({
    code: 550,
    enhanced: "5.1.1",
    lines: ["The account does not exist.", "Check the spelling.", "Bye"],
  });
});

test.each([
  ["550 5.1.1 User unknown", "5.1.1"],
  ["451 4.7.500 Server busy", "4.7.500"],
  ["553 sorry, no mailbox here by that name (#5.1.1)", "5.1.1"],
  ["511 sorry, no mailbox here by that name (#5.1.1 - chkuser)", "5.1.1"],
  ["550 #5.1.0 Address rejected.", "5.1.0"],
  ["550-First line\n550 5.7.1 second line", "5.7.1"],
])("an enhanced code is read where it stands as one: %s", (text, enhanced) => {
  expect(parseReply(text).enhanced).toBe(enhanced);
});

test.each([
  "554 5.7.1.1 is listed", // an IP address
  "550 Mail from 5.7.8 refused",
  "250 Postfix 3.5.6 ready",
  "220 mx.example.com 4.7.1.12 ESMTP",
])("numbers elsewhere in the text are not an enhanced code: %s", (text) => {
  expect(parseReply(text).enhanced).toBeUndefined();
});

test("a text without a code is kept", () => {
  expect(parseReply("no such user")).toEqual({ code: 0, lines: ["no such user"] });
});

test("a log line that quotes the server is read from the quote on", () => {
  expect(parseReply("host mx.example.com[192.0.2.1] said: 550 5.1.1 User unknown")).toMatchObject({
    code: 550,
    enhanced: "5.1.1",
  });
  expect(
    parseReply(
      "SMTP error from remote mail server after RCPT TO:<ann@example.com>: host mx [192.0.2.1]: 550 5.1.1 No",
    ),
  ).toMatchObject({ code: 550, enhanced: "5.1.1", lines: ["No"] });
  expect(parseReply("smtp; 552 5.2.2 Mailbox full")).toMatchObject({ code: 552, enhanced: "5.2.2" });
});

test("a number at the start of a later line belongs to the text unless it is the same code", () => {
  expect(parseReply("550-Callout verification failed:\n550 550 User unknown").lines).toEqual([
    "Callout verification failed:",
    "550 User unknown",
  ]);
});

test("any text is read without error, up to a limit", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 500 }), (text) => {
      const { code, lines } = parseReply(text);
      expect(code === 0 || (code >= 200 && code < 600)).toBe(true);
      expect(lines.length).toBeLessThanOrEqual(64);
    }),
  );
  expect(parseReply(`550 ${"x".repeat(1_000_000)}`).lines[0]?.length).toBeLessThan(10_000);
});
