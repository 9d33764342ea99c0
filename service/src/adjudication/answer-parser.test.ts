import { expect, test } from "vitest";
import { readAnswers } from "./answer-parser.ts";

const ONE = { id: 1, plausible: 0.8, reason_code: "nickname" };
const TWO = { id: 2, plausible: 0, reason_code: "keyboard_mash" };
const asText = (...answers: object[]) => JSON.stringify({ answers });
const BOTH = [
  { plausible: 0.8, reasonCode: "nickname" },
  { plausible: 0, reasonCode: "keyboard_mash" },
];

test("answers are matched by id in any order", () => {
  expect(readAnswers(asText(TWO, ONE), 2)).toEqual(BOTH);
});

test("a code fence around the whole is removed", () => {
  expect(readAnswers(`\n\`\`\`json\n${asText(ONE, TWO)}\n\`\`\`\n`, 2)).toEqual(BOTH);
  expect(readAnswers(`\`\`\`\n${asText(ONE, TWO)}\`\`\``, 2)).toEqual(BOTH);
});

test.each([
  ["nothing", ""],
  ["words", "They both look fine to me."],
  ["words around it", `Here you are: ${asText(ONE, TWO)}`],
  ["words after a fence", `\`\`\`json\n${asText(ONE, TWO)}\n\`\`\`\nAnything else?`],
  ["another language in the fence", `\`\`\`js\n${asText(ONE, TWO)}\n\`\`\``],
  ["a fence and nothing in it", "```"],
  ["half of it", asText(ONE, TWO).slice(0, -1)],
  ["an array", JSON.stringify([ONE, TWO])],
  ["null", "null"],
  ["something more beside the answers", JSON.stringify({ answers: [ONE, TWO], note: "x" })],
  ["something more in an answer", asText(ONE, { ...TWO, note: "x" })],
  ["one missing", asText(ONE)],
  ["one too many", asText(ONE, TWO, { ...TWO, id: 3 })],
  ["one twice", asText(ONE, ONE)],
  ["an unknown id", asText(ONE, { ...TWO, id: 3 })],
  ["an id in quotes", asText(ONE, { ...TWO, id: "2" })],
  ["more than 1", asText(ONE, { ...TWO, plausible: 1.01 })],
  ["less than 0", asText(ONE, { ...TWO, plausible: -0.01 })],
  ["a number that is none", asText(ONE, TWO).replace(":0,", ":1e999,")],
  ["a number in quotes", asText(ONE, { ...TWO, plausible: "0.5" })],
  ["no number", asText(ONE, { id: 2, reason_code: "unsure" })],
  ["a code that does not exist", asText(ONE, { ...TWO, reason_code: "because" })],
  ["a code from elsewhere", asText(ONE, { ...TWO, reason_code: "constructor" })],
])("%s is rejected", (_what, text) => {
  expect(readAnswers(text, 2)).toBeUndefined();
});
