import fc from "fast-check";
import { expect, test } from "vitest";
import { any } from "./phrase.ts";
import { indexPhrases } from "./phrase-index.ts";

const { each } = any`
  user unknown
  (mail ?box|inbox) … (full|over quota)
  \S*spf
  @ip … blocked
  e-?mail (address )?not found
  {user} … ?disabled
  不存在
`;

test("a phrase is tried when one of its prefixes begins a word of the text", () => {
  expect([...indexPhrases(each)("the recipient is unknown")]).toEqual([1, 0, 1, 0, 0, 0, 0]);
  expect([...indexPhrases(each)("用户不存在")]).toEqual([0, 0, 1, 0, 0, 0, 1]);
});

test("no matching phrase is ever skipped", () => {
  const find = indexPhrases(each);
  const word = fc.constantFrom(
    ..."user unknown mail box mailbox inbox is full over quota spf antispf @ip blocked e-mail email address".split(
      " ",
    ),
    ..."not found recipient disabled 不存在 . - no-user x@ip".split(" "),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const text = words.join(" ");
      const marks = find(text);
      each.forEach(({ expression }, at) => {
        if (expression.test(text)) expect(marks[at], `${expression} in "${text}"`).toBe(1);
      });
    }),
    { numRuns: 2000 },
  );
});
