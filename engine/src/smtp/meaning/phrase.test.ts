import { expect, test } from "vitest";
import { any } from "./phrase.ts";

test("each line is a phrase, and any of them matches at the start of a word", () => {
  const phrases = any`
    user unknown
    no (such )?mailbox
  `;

  expect(phrases.whole.test("sorry user unknown")).toBe(true);
  expect(phrases.whole.test("no mailboxes")).toBe(true);
  expect(phrases.whole.test("superuser unknown")).toBe(false);
});

test("a gap spans up to four words within the sentence", () => {
  const phrases = any`user … unknown`;

  expect(phrases.whole.test("user unknown")).toBe(true);
  expect(phrases.whole.test("user you asked for unknown")).toBe(true);
  expect(phrases.whole.test("user you have asked me for unknown")).toBe(false);
  expect(phrases.whole.test("user . unknown")).toBe(false);
});

test("a set of nouns matches each of them", () => {
  expect(any`{user} unknown`.whole.test("recipient unknown")).toBe(true);
  expect(any`{user} unknown`.whole.test("reason unknown")).toBe(false);
});
