import type { Diagnosis, Doctor } from "@mailvet/engine";
import { expect, test } from "vitest";
import { whileCollecting } from "../../../engine/test/garbage.ts";
import { createDoctorCache } from "./doctor-cache.ts";

const GOOD: Diagnosis = { name: "port 25", outcome: "good", found: "Open." };
const BAD: Diagnosis = { name: "SPF", outcome: "bad", found: "There is none.", advice: "Publish one." };

/** Diagnostics with these findings, all but the first after the gate opens; counts runs and closes. */
function openDiagnostics(findings: readonly Diagnosis[], gate: Promise<unknown> = Promise.resolve()) {
  const count = { runs: 0, closed: 0 };
  const openDoctor = (): Doctor => {
    count.runs++;
    return {
      async *examine() {
        for (const [index, finding] of findings.entries()) {
          if (index > 0) await gate;
          yield finding;
        }
      },
      close: () => count.closed++,
    };
  };
  return { count, openDoctor };
}

test("findings are in order, and cached", async () => {
  const { count, openDoctor } = openDiagnostics([GOOD, BAD]);
  const doctor = createDoctorCache(openDoctor);
  expect(doctor.last).toBeUndefined();
  const report = await doctor.run();
  expect(report.findings).toEqual([
    { ...GOOD, identity: null, advice: null },
    { ...BAD, identity: null },
  ]);
  expect(doctor.last).toEqual(report);
  expect(count).toEqual({ runs: 1, closed: 1 });
});

test("concurrent and repeated requests share one run", async () => {
  const { count, openDoctor } = openDiagnostics([GOOD]);
  const doctor = createDoctorCache(openDoctor);
  const [one, other] = await Promise.all([doctor.run(), doctor.run()]);
  expect(await doctor.run()).toBe(one);
  expect(other).toBe(one);
  expect(count.runs).toBe(1);
});

test("on close a run ends with the findings so far", async () => {
  const { count, openDoctor } = openDiagnostics([GOOD, BAD], new Promise(() => {}));
  const doctor = createDoctorCache(openDoctor);
  const report = doctor.run();
  setTimeout(() => doctor.close(), 20);
  expect((await report).findings.map(({ name, outcome }) => [name, outcome])).toEqual([
    ["port 25", "good"],
    ["the rest", "unknown"],
  ]);
  expect(count.closed).toBe(1);
});

test("a run that takes too long ends with the findings so far", async () => {
  const { count, openDoctor } = openDiagnostics([GOOD, BAD], new Promise(() => {}));
  const report = await whileCollecting(createDoctorCache(openDoctor, 200).run());
  expect(report.findings.map(({ name }) => name)).toEqual(["port 25", "the rest"]);
  expect(count.closed).toBe(1);
});

test("a failed run is not cached", async () => {
  let works = false;
  const doctor = createDoctorCache(() => ({
    async *examine() {
      if (!works) throw new Error("failed");
      yield GOOD;
    },
    close: () => {},
  }));
  await expect(doctor.run()).rejects.toThrow("failed");
  expect(doctor.last).toBeUndefined();
  works = true;
  expect((await doctor.run()).findings).toHaveLength(1);
});
