import { expect, test } from "vitest";
import { type BatchLimits, type BatchRoom, ProbeQueue } from "./probe-queue.ts";
import { ProbeRequest } from "./probe-request.ts";

type Traits = Partial<{
  smtpUtf8: boolean;
  isDecoy: boolean;
  isInteractive: boolean;
  isNeeded: boolean;
  deniedBy: string;
}>;

function target(recipient: string, { isNeeded, deniedBy, ...traits }: Traits = {}): ProbeRequest {
  const domain = recipient.slice(recipient.indexOf("@") + 1);
  const request = new ProbeRequest(
    { recipient, domain, smtpUtf8: false, isDecoy: false, isInteractive: false, ...traits },
    () => {},
  );
  if (isNeeded) request.markNeeded();
  if (deniedBy) request.deny(deniedBy, "domain_not_accepted");
  return request;
}
const decoy = (recipient: string, traits: Traits = {}) => target(recipient, { isDecoy: true, ...traits });
const interactive = (recipient: string) => target(recipient, { isInteractive: true });

const queueOf = (...requests: ProbeRequest[]) => {
  const queue = new ProbeQueue();
  for (const one of requests) queue.add(one);
  return queue;
};
/** Room for so many recipients, and so many of each domain. */
function roomFor(recipients: number, firstTargets: number): BatchRoom {
  let left = recipients;
  return {
    fits: (_, targets, decoys) => targets + decoys <= left,
    add: (_, targets, decoys) => {
      left -= targets + decoys;
    },
    targetsOf: () => firstTargets,
  };
}
type Limits = Partial<BatchLimits & { recipients: number; firstTargets: number }>;
const take = (
  queue: ProbeQueue,
  { recipients = 10, firstTargets = Number.POSITIVE_INFINITY, ...limits }: Limits = {},
) =>
  queue
    .take({
      host: "mx",
      room: roomFor(recipients, firstTargets),
      recipientsPerTransaction: 10,
      withUnneededDecoys: true,
      ...limits,
    })
    .map((group) => group.map(({ recipient }) => recipient));

test("a batch groups the recipients by domain", () => {
  const queue = queueOf(target("a@one"), target("b@two"), target("c@one"));
  expect(take(queue)).toEqual([["a@one", "c@one"], ["b@two"]]);
  expect(take(queue)).toEqual([]);
});

test("domains take turns when not all requests fit", () => {
  const queue = queueOf(...["a@big", "b@big", "c@big", "x@small"].map((name) => target(name)));
  expect(take(queue, { recipients: 2 })).toEqual([["a@big", "b@big"]]);
  expect(take(queue, { recipients: 2 })).toEqual([["x@small"], ["c@big"]]);
});

test("a batch has a few requests of each domain, and a decoy is last", () => {
  const names = ["a@big", "b@big", "c@big", "d@big", "x@small", "y@small", "z@small"];
  const limits = { recipients: 5, firstTargets: 2 };
  const queue = queueOf(...names.map((name) => target(name)), decoy("q@big"));
  expect(take(queue, limits)).toEqual([
    ["x@small", "y@small"],
    ["a@big", "b@big", "q@big"],
  ]);
  expect(take(queue, limits)).toEqual([["c@big", "d@big"], ["z@small"]]);
});

test("a group is no larger than a transaction", () => {
  const queue = queueOf(...["a@one", "b@one", "c@one"].map((name) => target(name)));
  expect(take(queue, { recipientsPerTransaction: 2 })).toEqual([["a@one", "b@one"]]);
  expect(take(queue, { recipientsPerTransaction: 2 })).toEqual([["c@one"]]);
});

test("a decoy joins a target where there is room, and otherwise waits until it is needed", () => {
  expect(take(queueOf(target("a@one"), decoy("x@one")))).toEqual([["a@one", "x@one"]]);
  expect(take(queueOf(target("a@one"), decoy("x@one")), { withUnneededDecoys: false })).toEqual([["a@one"]]);
  expect(take(queueOf(target("a@one"), decoy("x@one")), { recipientsPerTransaction: 1 })).toEqual([
    ["a@one"],
  ]);
  expect(take(queueOf(decoy("x@one")))).toEqual([]);
  expect(take(queueOf(decoy("x@one", { isNeeded: true })), { withUnneededDecoys: false })).toEqual([
    ["x@one"],
  ]);
});

test("only requests whose answer is needed count", () => {
  const queue = queueOf(target("a@one"), decoy("x@one"), decoy("y@two"));
  expect(queue.count(10)).toBe(1);
  expect(queue.hasRequestsFor("mx")).toBe(true);
  take(queue, { withUnneededDecoys: false });
  expect(queue.count(10)).toBe(0);
  expect(queue.hasRequestsFor("mx")).toBe(false);
});

test("a host that denied a request does not get it again, the next host does", () => {
  const queue = queueOf(target("a@one", { deniedBy: "mx1" }));
  expect(queue.hasRequestsFor("mx1")).toBe(false);
  expect(take(queue, { host: "mx1" })).toEqual([]);
  expect(take(queue, { host: "mx2" })).toEqual([["a@one"]]);
});

test("recipients that need SMTPUTF8 have a group of their own, and decoys come last", () => {
  const recipients = [
    target("a@one"),
    interactive("i@one"),
    decoy("d@one"),
    target("ä@one", { smtpUtf8: true }),
  ];
  expect(take(queueOf(...recipients))).toEqual([["ä@one"], ["i@one", "a@one", "d@one"]]);
});

test("a request is in the queue once, and never after its end", () => {
  const request = target("a@one");
  const queue = queueOf(request);
  expect(() => queue.add(request)).toThrow("from queued to queued");
  take(queue);
  request.settle({ answer: "accepted" });
  expect(() => queue.add(request)).toThrow("from settled to queued");
  expect(take(queue)).toEqual([]);
});

test("removed requests are not taken", () => {
  const queue = queueOf(target("b@one"), target("c@two"));
  expect(queue.removeTargets("two").map(({ recipient }) => recipient)).toEqual(["c@two"]);
  expect(take(queue)).toEqual([["b@one"]]);
  expect(queue.removeAll()).toEqual([]);
});

test("interactive requests of all domains come first, and batch requests fill the rest", () => {
  const queue = queueOf(...["a@big", "b@big", "c@big", "x@small"].map((name) => target(name)));
  for (const one of [interactive("u@small"), interactive("v@new"), interactive("w@big")]) queue.add(one);
  expect(queue.hasInteractive).toBe(true);
  expect(take(queue, { recipients: 4 })).toEqual([["u@small"], ["v@new"], ["w@big", "a@big"]]);
  expect(queue.hasInteractive).toBe(false);
  expect(take(queue, { recipients: 4 })).toEqual([["x@small"], ["b@big", "c@big"]]);
});

test("the decoy that an interactive request depends on is interactive too", () => {
  const queue = queueOf(target("a@two"), target("b@one"), decoy("x@one"), interactive("u@one"));
  expect(take(queue, { recipients: 2 })).toEqual([["u@one", "x@one"]]);

  const late = decoy("x@one");
  const waiting = queueOf(target("a@two"), target("b@one"), late, interactive("u@one"));
  const limits = { recipients: 1, withUnneededDecoys: false };
  expect(take(waiting, limits)).toEqual([["u@one"]]);
  expect(waiting.hasInteractive).toBe(false); // the decoy may never be needed
  late.markNeeded();
  expect(waiting.hasInteractive).toBe(true);
  expect(take(waiting, limits)).toEqual([["x@one"]]);
});

test("a queued request with raised priority comes first, and its decoy with it", () => {
  const late = target("c@big");
  const queue = queueOf(target("a@small"), target("b@big"), late, decoy("x@big", { isNeeded: true }));
  expect(queue.hasInteractive).toBe(false);
  queue.raisePriority(late);
  queue.raisePriority(late);
  expect(queue.hasInteractive).toBe(true);
  expect(queue.count(10)).toBe(4);
  expect(take(queue, { recipients: 2 })).toEqual([["c@big", "x@big"]]);
  expect(take(queue)).toEqual([["a@small"], ["b@big"]]);
  expect(queue.hasInteractive).toBe(false);
});

test("a request raised in flight is interactive when requeued, and one that has ended is not raised", () => {
  const inFlight = target("a@one");
  const queue = queueOf(inFlight);
  take(queue);
  queue.raisePriority(inFlight);
  for (const one of [target("b@one"), target("c@two"), inFlight]) queue.add(one);
  expect(take(queue, { recipients: 1 })).toEqual([["a@one"]]);

  const ended = target("d@one");
  ended.drop();
  queue.raisePriority(ended);
  expect([ended.isInteractive, queue.hasInteractive]).toEqual([false, false]);
});

test("under a stream of interactive requests every fourth batch of one is a batch request", () => {
  const queue = queueOf(target("a@one"), target("b@two"));
  const served = Array.from({ length: 8 }, (_, i) => {
    queue.add(interactive(`u${i}@one`));
    queue.add(interactive(`v${i}@three`));
    return take(queue, { recipients: 1 }).flat()[0];
  });
  expect(
    served.map((name) => (name?.startsWith("a") || name?.startsWith("b") ? name : "interactive")),
  ).toEqual([
    ...["interactive", "interactive", "interactive", "a@one"],
    ...["interactive", "interactive", "interactive", "b@two"],
  ]);
});

test("an interactive request that a host denied waits for the next host and blocks no other request", () => {
  const denied = target("u@one", { isInteractive: true, deniedBy: "mx1" });
  const queue = queueOf(denied, target("a@two"));
  expect(take(queue, { host: "mx1" })).toEqual([["a@two"]]);
  expect(queue.hasRequestsFor("mx2")).toBe(true);
  expect(take(queue, { host: "mx2" })).toEqual([["u@one"]]);
});

test("interactive and batch requests of one domain share the limit of a transaction", () => {
  const queue = queueOf(...["a@one", "b@one", "c@one"].map((name) => target(name)), interactive("u@one"));
  expect(take(queue, { recipientsPerTransaction: 2 })).toEqual([["u@one", "a@one"]]);
  expect(take(queue, { recipientsPerTransaction: 2 })).toEqual([["b@one", "c@one"]]);
  expect(queue.count(10)).toBe(0);
});

test("removing the targets of a domain includes the interactive ones", () => {
  const queue = queueOf(interactive("u@one"), target("a@one"), target("b@two"));
  expect(queue.removeTargets("one").map(({ recipient }) => recipient)).toEqual(["u@one", "a@one"]);
  expect(queue.hasInteractive).toBe(false);
  expect(take(queue)).toEqual([["b@two"]]);
});

test("a domain without requests is forgotten, also under a stream of interactive requests", () => {
  const queue = queueOf(target("a@busy", { deniedBy: "mx" }));
  for (let i = 0; i < 20; i++) {
    queue.add(interactive(`u@taken${i}`));
    take(queue);
    queue.add(target(`b@removed${i}`));
    queue.removeTargets(`removed${i}`);
  }
  expect(queue.domainCount).toBe(1);
});

test("a decoy that waits is removed unless it is needed, and its domain is forgotten", () => {
  const [unneeded, needed, sent] = [decoy("q@one"), decoy("q@two", { isNeeded: true }), decoy("q@three")];
  const queue = queueOf(unneeded, needed, sent, target("a@three"));
  expect(take(queue)).toEqual([["q@two"], ["a@three", "q@three"]]);
  queue.add(needed);
  expect([unneeded, needed, sent].map((one) => queue.removeUnneeded(one))).toEqual([true, false, false]);
  expect(queue.domainCount).toBe(1);
});
