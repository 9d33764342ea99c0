import { expect, test } from "vitest";
import { requiredWords } from "./required-words.ts";

test.each([
  ["no such mailbox", ["such"]],
  ["user (?:unknown|invalid)", ["unknown", "invalid"]],
  ["(?:the |this )?quota", ["quota"]],
  ["e-?mail quota", ["quota"]],
  ["full\\b", ["full"]],
  ["gr[ae]y list", ["list"]],
  ["\\[?\\bts+\\d{2}\\b", ["ts"]],
  ["over ?quota", ["over"]],
  ["(?<!\\w)(?:unknown or \\S+|full)", ["unknown", "full"]],
  ["user (?:[^\\s.]\\S* ){0,4}?frozen", ["frozen"]],
])("%s requires one of %j", (source, prefixes) => {
  expect(requiredWords(source)).toEqual(prefixes);
});

test.each(["\\S*spf", "[ab]", "не существует", "\\d+"])("%s requires no word", (source) => {
  expect(requiredWords(source)).toBeUndefined();
});
