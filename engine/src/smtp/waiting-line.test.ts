import { expect, test } from "vitest";
import { type Pending, type RoundLimits, WaitingLine } from "./waiting-line.ts";

function question(recipient: string, traits: Partial<Pending> = {}): Pending {
  return {
    recipient,
    domain: recipient.slice(recipient.indexOf("@") + 1),
    smtpUtf8: false,
    isDecoy: false,
    isWanted: traits.isDecoy !== true,
    isSettled: false,
    deniedBy: new Map(),
    failures: 0,
    returns: 0,
    settle: () => {},
    drop: () => {},
    fail: () => {},
    ...traits,
  };
}
const decoy = (recipient: string, traits: Partial<Pending> = {}) =>
  question(recipient, { isDecoy: true, ...traits });

const lineOf = (...questions: Pending[]) => {
  const line = new WaitingLine();
  for (const one of questions) line.add(one);
  return line;
};
const take = (
  line: WaitingLine,
  { recipients = 10, ...limits }: Partial<RoundLimits & { recipients: number }> = {},
) =>
  line
    .take({
      host: "mx",
      holds: (targets, decoys) => targets + decoys <= recipients,
      recipientsPerTransaction: 10,
      decoysRideAlong: true,
      ...limits,
    })
    .map((group) => group.map(({ recipient }) => recipient));

test("a round takes the recipients of one domain together, each domain for itself", () => {
  const line = lineOf(question("a@one"), question("b@two"), question("c@one"));
  expect(take(line)).toEqual([["a@one", "c@one"], ["b@two"]]);
  expect(take(line)).toEqual([]);
});

test("domains take turns when not all fit", () => {
  const line = lineOf(...["a@big", "b@big", "c@big", "x@small"].map((name) => question(name)));
  expect(take(line, { recipients: 2 })).toEqual([["a@big", "b@big"]]);
  expect(take(line, { recipients: 2 })).toEqual([["x@small"], ["c@big"]]);
});

test("a transaction holds no more than it may", () => {
  const line = lineOf(...["a@one", "b@one", "c@one"].map((name) => question(name)));
  expect(take(line, { recipientsPerTransaction: 2 })).toEqual([["a@one", "b@one"]]);
  expect(take(line, { recipientsPerTransaction: 2 })).toEqual([["c@one"]]);
});

test("a made-up name rides along where there is room, and waits to be wanted elsewhere", () => {
  expect(take(lineOf(question("a@one"), decoy("x@one")))).toEqual([["a@one", "x@one"]]);
  expect(take(lineOf(question("a@one"), decoy("x@one")), { decoysRideAlong: false })).toEqual([["a@one"]]);
  expect(take(lineOf(question("a@one"), decoy("x@one")), { recipientsPerTransaction: 1 })).toEqual([
    ["a@one"],
  ]);
  expect(take(lineOf(decoy("x@one")))).toEqual([]);
  expect(take(lineOf(decoy("x@one", { isWanted: true })), { decoysRideAlong: false })).toEqual([["x@one"]]);
});

test("only what somebody wants to know counts", () => {
  const line = lineOf(question("a@one"), decoy("x@one"), decoy("y@two"));
  expect(line.count(10)).toBe(1);
  expect(line.hasQuestionsFor("mx")).toBe(true);
  take(line, { decoysRideAlong: false });
  expect(line.count(10)).toBe(0);
  expect(line.hasQuestionsFor("mx")).toBe(false);
});

test("a host that has denied the domain is not asked again, the next one is", () => {
  const line = lineOf(question("a@one", { deniedBy: new Map([["mx1", "domain_not_accepted"]]) }));
  expect(line.hasQuestionsFor("mx1")).toBe(false);
  expect(take(line, { host: "mx1" })).toEqual([]);
  expect(take(line, { host: "mx2" })).toEqual([["a@one"]]);
});

test("recipients that need SMTPUTF8 have a transaction of their own", () => {
  const line = lineOf(question("a@one"), question("ä@one", { smtpUtf8: true }));
  expect(take(line)).toEqual([["a@one"], ["ä@one"]]);
});

test("what is settled already is not asked, and what is taken out does not come again", () => {
  const line = lineOf(question("a@one", { isSettled: true }), question("b@one"), question("c@two"));
  expect(line.takeTargets("two").map(({ recipient }) => recipient)).toEqual(["c@two"]);
  expect(take(line)).toEqual([["b@one"]]);
  expect(line.takeAll()).toEqual([]);
});
