import { expect, test } from "vitest";
import { any } from "./phrase.ts";

test("each line is a phrase, and any of them fits at the start of a word", () => {
  const phrases = any`
    user unknown
    no (such )?mailbox
  `;

  expect(phrases.test("sorry user unknown")).toBe(true);
  expect(phrases.test("no mailboxes")).toBe(true);
  expect(phrases.test("superuser unknown")).toBe(false);
});

test("a gap takes up to four words and stays within the sentence", () => {
  const phrases = any`user … unknown`;

  expect(phrases.test("user unknown")).toBe(true);
  expect(phrases.test("user you asked for unknown")).toBe(true);
  expect(phrases.test("user you have asked me for unknown")).toBe(false);
  expect(phrases.test("user . unknown")).toBe(false);
});

test("a set of nouns stands for one thing", () => {
  expect(any`{user} unknown`.test("recipient unknown")).toBe(true);
  expect(any`{user} unknown`.test("reason unknown")).toBe(false);
});
