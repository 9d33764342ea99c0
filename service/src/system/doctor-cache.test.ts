import type { Doctor, Finding } from "@mailvet/engine";
import { expect, test } from "vitest";
import { createDoctorCache } from "./doctor-cache.ts";

const GOOD: Finding = { name: "port 25", outcome: "good", found: "Open." };
const BAD: Finding = { name: "SPF", outcome: "bad", found: "There is none.", advice: "Publish one." };

/** One who finds these things when the gate opens, and counts how often they were called. */
function openPractice(findings: readonly Finding[], gate: Promise<unknown> = Promise.resolve()) {
  const count = { visits: 0, farewells: 0 };
  const openDoctor = (): Doctor => {
    count.visits++;
    return {
      async *examine() {
        for (const [index, finding] of findings.entries()) {
          if (index > 0) await gate;
          yield finding;
        }
      },
      close: () => count.farewells++,
    };
  };
  return { count, openDoctor };
}

test("what the doctor finds is told in order, and kept", async () => {
  const { count, openDoctor } = openPractice([GOOD, BAD]);
  const visits = createDoctorCache(openDoctor);
  expect(visits.last).toBeUndefined();
  const report = await visits.run();
  expect(report.findings).toEqual([{ ...GOOD, advice: null }, BAD]);
  expect(visits.last).toEqual(report);
  expect(count).toEqual({ visits: 1, farewells: 1 });
});

test("those who call at the same time, or soon after, share one visit", async () => {
  const { count, openDoctor } = openPractice([GOOD]);
  const visits = createDoctorCache(openDoctor);
  const [one, other] = await Promise.all([visits.run(), visits.run()]);
  expect(await visits.run()).toBe(one);
  expect(other).toBe(one);
  expect(count.visits).toBe(1);
});

test("when the service stops, a visit ends with what is known by then", async () => {
  const { count, openDoctor } = openPractice([GOOD, BAD], new Promise(() => {}));
  const visits = createDoctorCache(openDoctor);
  const report = visits.run();
  setTimeout(() => visits.close(), 20);
  expect((await report).findings.map(({ name, outcome }) => [name, outcome])).toEqual([
    ["port 25", "good"],
    ["the rest", "unknown"],
  ]);
  expect(count.farewells).toBe(1);
});

test("a doctor who fails is not remembered, and the next call is a new visit", async () => {
  let isWell = false;
  const visits = createDoctorCache(() => ({
    async *examine() {
      if (!isWell) throw new Error("ill");
      yield GOOD;
    },
    close: () => {},
  }));
  await expect(visits.run()).rejects.toThrow("ill");
  expect(visits.last).toBeUndefined();
  isWell = true;
  expect((await visits.run()).findings).toHaveLength(1);
});
