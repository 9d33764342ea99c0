import { expect, test } from "vitest";
import { tallyVerdicts } from "../../bench/smtp/verdict-tally.ts";

const LIST = [
  { email: "live@a.test", answer: "deliverable" },
  { email: "dead@a.test", answer: "undeliverable" },
  { email: "any@catch-all.test", answer: "uncertain" },
] as const;

function tally(...words: string[]) {
  return tallyVerdicts(LIST, new Map(LIST.map(({ email }, i) => [email, words[i]!])));
}

test.each([
  ["valid", "invalid", "risky"], // Mailvet
  ["yes", "no", "unknown"], // AfterShip
  ["safe", "invalid", "risky"], // Reacher
])("the right words %s, %s, %s all count", (...words) => {
  expect(tally(...words)).toMatchObject({ addresses: 3, right: 3, liveCalledDead: 0, wrong: [] });
});

test("a live mailbox and a catch-all address that are reported as dead are counted separately", () => {
  expect(tally("invalid", "invalid", "no")).toMatchObject({ right: 1, liveCalledDead: 2, deadCalledLive: 0 });
});

test("a dead mailbox that is reported as live is counted separately, a catch-all address is only wrong", () => {
  expect(tally("yes", "safe", "valid")).toMatchObject({ right: 1, liveCalledDead: 0, deadCalledLive: 1 });
});

test("an uncertain verdict is right at a catch-all domain only", () => {
  expect(tally("unknown", "risky", "unknown")).toMatchObject({
    right: 1,
    liveCalledDead: 0,
    deadCalledLive: 0,
    wrong: ["live@a.test: unknown, not deliverable", "dead@a.test: risky, not undeliverable"],
  });
});

test("an address without a verdict is not right, and a verdict for an address that is not listed does not count", () => {
  const words = new Map([
    ["live@a.test", "valid"],
    ["other@a.test", "valid"],
  ]);
  expect(tallyVerdicts(LIST, words)).toMatchObject({ right: 1, unanswered: 2 });
});

test("an unknown word is an error, not a wrong verdict", () => {
  expect(() => tally("perhaps", "no", "unknown")).toThrow('"perhaps"');
});
