import { expect, test } from "vitest";
import { type BatchLimits, ProbeQueue, type ProbeRequest } from "./probe-queue.ts";

function question(recipient: string, traits: Partial<ProbeRequest> = {}): ProbeRequest {
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
const decoy = (recipient: string, traits: Partial<ProbeRequest> = {}) =>
  question(recipient, { isDecoy: true, ...traits });

const lineOf = (...questions: ProbeRequest[]) => {
  const line = new ProbeQueue();
  for (const one of questions) line.add(one);
  return line;
};
const take = (
  line: ProbeQueue,
  { recipients = 10, ...limits }: Partial<BatchLimits & { recipients: number }> = {},
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

const urgent = (recipient: string) => question(recipient, { isUrgent: true });

test("urgent questions of all domains are taken first, and the others fill up the round", () => {
  const line = lineOf(...["a@big", "b@big", "c@big", "x@small"].map((name) => question(name)));
  for (const one of [urgent("u@small"), urgent("v@new"), urgent("w@big")]) line.add(one);
  expect(line.hasUrgent).toBe(true);
  expect(take(line, { recipients: 4 })).toEqual([["u@small"], ["v@new"], ["w@big", "a@big"]]);
  expect(line.hasUrgent).toBe(false);
  expect(take(line, { recipients: 4 })).toEqual([["x@small"], ["b@big", "c@big"]]);
});

test("the made-up name that an urgent question waits for is as urgent, whoever wanted it first", () => {
  const made = decoy("x@one");
  const line = lineOf(question("a@two"), question("b@one"), made, urgent("u@one"));
  expect(take(line, { recipients: 2 })).toEqual([["u@one", "x@one"]]);

  const waiting = lineOf(question("a@two"), question("b@one"), made, urgent("u@one"));
  const limits = { recipients: 1, decoysRideAlong: false };
  expect(take(waiting, limits)).toEqual([["u@one"]]);
  expect(waiting.hasUrgent).toBe(false); // nobody knows yet whether it will be needed
  made.isWanted = true;
  expect(waiting.hasUrgent).toBe(true);
  expect(take(waiting, limits)).toEqual([["x@one"]]);
});

test("what becomes urgent while it waits goes before the others, and its made-up name with it", () => {
  const late = question("c@big");
  const made = decoy("x@big", { isWanted: true });
  const line = lineOf(question("a@small"), question("b@big"), late, made);
  expect(line.hasUrgent).toBe(false);
  line.hurry(late);
  line.hurry(late);
  expect(line.hasUrgent).toBe(true);
  expect(line.count(10)).toBe(4);
  expect(take(line, { recipients: 2 })).toEqual([["c@big", "x@big"]]);
  expect(take(line)).toEqual([["a@small"], ["b@big"]]);
  expect(line.hasUrgent).toBe(false);
});

test("what becomes urgent while it is being asked comes back as urgent, and is nothing once answered", () => {
  const asked = question("a@one");
  const line = lineOf(asked);
  take(line);
  line.hurry(asked);
  for (const one of [question("b@one"), question("c@two"), asked]) line.add(one);
  expect(take(line, { recipients: 1 })).toEqual([["a@one"]]);

  const answered = question("d@one", { isSettled: true });
  line.hurry(answered);
  expect(line.hasUrgent).toBe(false);
});

test("under a stream of urgent questions every fourth round is the others' when there is room for one only", () => {
  const line = lineOf(question("a@one"), question("b@two"));
  const served = Array.from({ length: 8 }, (_, i) => {
    line.add(urgent(`u${i}@one`));
    line.add(urgent(`v${i}@three`));
    return take(line, { recipients: 1 }).flat()[0];
  });
  expect(served.map((name) => (name?.startsWith("a") || name?.startsWith("b") ? name : "urgent"))).toEqual([
    ...["urgent", "urgent", "urgent", "a@one"],
    ...["urgent", "urgent", "urgent", "b@two"],
  ]);
});

test("an urgent question that a host denies waits for the next host and holds nobody up", () => {
  const denied = question("u@one", { isUrgent: true, deniedBy: new Map([["mx1", "domain_not_accepted"]]) });
  const line = lineOf(denied, question("a@two"));
  expect(take(line, { host: "mx1" })).toEqual([["a@two"]]);
  expect(line.hasQuestionsFor("mx2")).toBe(true);
  expect(take(line, { host: "mx2" })).toEqual([["u@one"]]);
});

test("where a transaction holds few, urgent questions and others of one domain keep to that together", () => {
  const line = lineOf(...["a@one", "b@one", "c@one"].map((name) => question(name)), urgent("u@one"));
  expect(take(line, { recipientsPerTransaction: 2 })).toEqual([["u@one", "a@one"]]);
  expect(take(line, { recipientsPerTransaction: 2 })).toEqual([["b@one", "c@one"]]);
  expect(line.count(10)).toBe(0);
});

test("a domain that takes anyone gives up its urgent questions too", () => {
  const line = lineOf(urgent("u@one"), question("a@one"), question("b@two"));
  expect(line.takeTargets("one").map(({ recipient }) => recipient)).toEqual(["u@one", "a@one"]);
  expect(line.hasUrgent).toBe(false);
  expect(take(line)).toEqual([["b@two"]]);
});
