import { expect, test } from "vitest";
import { LocalSessionGate } from "./session-gate.ts";

const IDENTITY = { name: "one", share: 1, ehloName: "one.test", mailFrom: "probe@one.test" };
const AT = Date.UTC(2026, 4, 1, 22, 30, 0);

test("sessions are admitted up to the daily cap, and again from midnight UTC", async () => {
  let now = AT;
  const gate = new LocalSessionGate({ ...IDENTITY, sessionsPerDay: 2 }, () => now);
  expect(await Promise.all([gate.admit(), gate.admit()])).toEqual([undefined, undefined]);
  const refusal = { reason: "daily_cap", retryAfterSeconds: 5400 };
  expect([gate.refusal, await gate.admit(), gate.sessions]).toEqual([refusal, refusal, 2]);
  now += 5400 * 1000;
  expect([gate.refusal, gate.sessions, await gate.admit()]).toEqual([undefined, 0, undefined]);
  expect(gate.sessions).toBe(1);
});

test("without a cap sessions are only counted", async () => {
  const gate = new LocalSessionGate(IDENTITY, () => AT);
  for (let i = 0; i < 100; i++) expect(await gate.admit()).toBeUndefined();
  expect([gate.sessions, gate.refusal]).toEqual([100, undefined]);
});
