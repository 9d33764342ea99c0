import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { blockedForSeconds, EgressHealth } from "./egress-health.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

function blocked(): EgressHealth {
  const health = new EgressHealth();
  for (let owner = 0; owner < 7; owner++) health.timedOut(`mx.owner${owner}.example`);
  return health;
}

test("an identity that never reached a host is avoided, except for one test a minute", () => {
  const health = blocked();
  expect([health.isAvoidable, health.blockedForSeconds]).toEqual([true, 60]);
  vi.advanceTimersByTime(61_000);
  expect(health.isAvoidable).toBe(false);
  expect(health.blockedForSeconds).toBeUndefined(); // this is the test
  expect([health.isAvoidable, health.blockedForSeconds]).toEqual([true, 60]);
  health.connected();
  expect([health.isAvoidable, health.blockedForSeconds]).toEqual([false, undefined]);
});

test("after a failure on our own side an identity is avoided for a moment, but not blocked", () => {
  const health = new EgressHealth();
  health.failedLocally();
  expect([health.isDown, health.isAvoidable, health.blockedForSeconds]).toEqual([true, true, undefined]);
  vi.advanceTimersByTime(11_000);
  expect(health.isDown).toBe(false);
  health.failedLocally();
  health.connected();
  expect(health.isDown).toBe(false);
});

test("several identities are blocked only when all of them are", () => {
  const [one, two] = [blocked(), new EgressHealth()];
  expect(blockedForSeconds([one, two])).toBeUndefined();
  expect(one.isAvoidable).toBe(true); // its test is not used up
  vi.advanceTimersByTime(20_000);
  expect(blockedForSeconds([one, blocked()])).toBe(40);
});
