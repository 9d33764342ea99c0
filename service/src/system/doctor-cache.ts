/**
 * The engine's doctor, called by the operator: one visit at a time, with an end, and not again right after it.
 *
 * Each visit knocks at a few large providers, so those who ask at the same time, or soon after, share one.
 */
import type { DoctorReport } from "@mailvet/contract";
import type { Doctor, Finding } from "@mailvet/engine";

export type DoctorCache = {
  /** What was found last; undefined before the first visit. */
  readonly last: DoctorReport | undefined;
  run(): Promise<DoctorReport>;
  /** A visit under way ends with what was found so far. */
  close(): void;
};

const FRESH_MS = 30_000;
/** The doctor is quicker by itself; this is in case it is not. */
const LONGEST_MS = 25_000;

export function createDoctorCache(openDoctor: () => Doctor): DoctorCache {
  let last: DoctorReport | undefined;
  let lastAtMs = Number.NEGATIVE_INFINITY;
  let underWay: Promise<DoctorReport> | undefined;
  const leaving = new AbortController();

  const visit = async (): Promise<DoctorReport> => {
    const doctor = openDoctor();
    try {
      const findings = await listen(doctor.examine(), leaving.signal);
      last = { checked_at: new Date().toISOString(), findings };
      lastAtMs = performance.now();
      return last;
    } finally {
      doctor.close();
    }
  };

  return {
    get last() {
      return last;
    },
    async run() {
      if (last && performance.now() - lastAtMs < FRESH_MS) return last;
      underWay ??= visit().finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
    close: () => leaving.abort(),
  };
}

async function listen(
  examination: AsyncGenerator<Finding>,
  leaving: AbortSignal,
): Promise<DoctorReport["findings"]> {
  const end = AbortSignal.any([leaving, AbortSignal.timeout(LONGEST_MS)]);
  const ended = new Promise<undefined>((resolve) => {
    if (end.aborted) resolve(undefined);
    else end.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const findings: DoctorReport["findings"] = [];
  for (;;) {
    const next = examination.next();
    next.catch(() => {}); // when the end comes first, nobody else hears of it
    const step = await Promise.race([next, ended]);
    if (step === undefined) return [...findings, BROKEN_OFF];
    if (step.done) return findings;
    findings.push({ ...step.value, advice: step.value.advice ?? null });
  }
}

const BROKEN_OFF: DoctorReport["findings"][number] = {
  name: "the rest",
  outcome: "unknown",
  found: "The examination was broken off before its end.",
  advice: "Run it again.",
};
