import { expect, test } from "vitest";
import type { MailboxFinding } from "../evidence.ts";
import { type ProbeEnd, ProbeRequest, type ProbeState } from "./probe-request.ts";

const REFUSED: MailboxFinding = { answer: "not_found" };
const DEFERRED: MailboxFinding = { answer: "greylisted" };

function newRequest() {
  const ends: ProbeEnd[] = [];
  const probe = {
    recipient: "ann@shop.test",
    domain: "shop.test",
    smtpUtf8: false,
    isDecoy: false,
    isInteractive: false,
  };
  return { ends, request: new ProbeRequest(probe, (end) => ends.push(end)) };
}

const METHODS = {
  enqueue: (request: ProbeRequest) => request.enqueue(),
  take: (request: ProbeRequest) => request.take(),
  hold: (request: ProbeRequest) => request.hold(REFUSED),
  confirm: (request: ProbeRequest) => request.confirm(),
  settle: (request: ProbeRequest) => request.settle(REFUSED),
  drop: (request: ProbeRequest) => request.drop(),
  fail: (request: ProbeRequest) => request.fail(new Error("bug")),
};
type Method = keyof typeof METHODS;

/** How to reach each state, and where each method leads from it; methods that are not named throw. */
const TABLE: Record<ProbeState, { path: Method[]; next: Partial<Record<Method, ProbeState>> }> = {
  new: { path: [], next: { enqueue: "queued", drop: "dropped" } },
  queued: {
    path: ["enqueue"],
    next: { take: "in_flight", settle: "settled", drop: "dropped", fail: "failed" },
  },
  in_flight: {
    path: ["enqueue", "take"],
    next: { enqueue: "queued", hold: "held", settle: "settled", fail: "failed" },
  },
  held: {
    path: ["enqueue", "take", "hold"],
    next: { enqueue: "queued", confirm: "settled", settle: "settled" },
  },
  settled: { path: ["enqueue", "take", "settle"], next: {} },
  dropped: { path: ["drop"], next: {} },
  failed: { path: ["enqueue", "fail"], next: {} },
};

const cases = Object.entries(TABLE).flatMap(([from, { path, next }]) =>
  Object.keys(METHODS).map((method) => [from, method, next[method as Method], path] as const),
);

test.each(cases)("from %s, %s leads to %s", (from, method, to, path) => {
  const { request, ends } = newRequest();
  for (const step of path) METHODS[step](request);
  expect(request.state).toBe(from);
  const endsBefore = ends.length;
  if (to === undefined) {
    expect(() => METHODS[method as Method](request)).toThrow();
    expect([request.state, ends.length]).toEqual([from, endsBefore]);
  } else {
    METHODS[method as Method](request);
    expect(request.state).toBe(to);
    expect(ends).toHaveLength(request.hasEnded ? 1 : 0);
  }
});

test("a held refusal is the finding once confirmed, and gone once requeued", () => {
  const confirmed = newRequest();
  for (const method of ["enqueue", "take", "hold", "confirm"] as const) METHODS[method](confirmed.request);
  expect(confirmed.ends).toEqual([{ kind: "settled", finding: REFUSED }]);

  const retracted = newRequest();
  for (const method of ["enqueue", "take", "hold", "enqueue"] as const) METHODS[method](retracted.request);
  expect(retracted.request.heldFinding).toBeUndefined();
});

test("a deferral stands unless another host settles the request", () => {
  const next: [MailboxFinding, MailboxFinding][] = [
    [{ answer: "timeout" }, DEFERRED],
    [REFUSED, REFUSED],
  ];
  for (const [second, expected] of next) {
    const { request, ends } = newRequest();
    request.enqueue();
    request.defer("mx1", DEFERRED);
    expect([request.isOpenTo("mx1"), request.isOpenTo("mx2")]).toEqual([false, true]);
    request.settle(second);
    expect(ends).toEqual([{ kind: "settled", finding: expected }]);
  }
});

test("denials agree only when all hosts gave the same reason", () => {
  const { request } = newRequest();
  request.deny("mx1", "domain_not_accepted");
  expect(request.isDeniedOnlyAs("domain_not_accepted")).toBe(true);
  request.deny("mx2", "smtputf8_unsupported");
  expect(request.isDeniedOnlyAs("domain_not_accepted")).toBe(false);
});

test("retries are limited: three sessions it may have ended, fifty in all, three retractions, six cut off", () => {
  const count = (canRetry: () => boolean) => {
    let retries = 0;
    while (canRetry()) retries++;
    return retries;
  };
  const cause = newRequest().request;
  expect(count(() => cause.canRetryAfterSessionEnd(true))).toBe(2);
  const bystander = newRequest().request;
  expect(count(() => bystander.canRetryAfterSessionEnd(false))).toBe(50);
  const crowded = newRequest().request;
  expect(count(() => crowded.canRetryInNewTransaction())).toBe(5);
  const retracted = newRequest().request;
  expect(count(() => retracted.canRetryAfterRetraction(false))).toBe(2);
  const cutOff = newRequest().request;
  expect(count(() => cutOff.canRetryAfterRetraction(true))).toBe(6);
});
