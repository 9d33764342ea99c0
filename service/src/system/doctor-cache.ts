/**
 * Runs the engine's diagnostics for the operator: one run at a time, bounded in time, and cached for a while.
 *
 * Each run connects to a few large providers, so concurrent and repeated requests share one.
 */
import { once } from "node:events";
import type { DoctorReport } from "@mailvet/contract";
import type { Diagnosis, Doctor } from "@mailvet/engine";

export type DoctorCache = {
  /** Undefined before the first run. */
  readonly last: DoctorReport | undefined;
  run(): Promise<DoctorReport>;
  /** Ends a run with the findings so far. */
  close(): void;
};

const FRESH_MS = 30_000;
/** Diagnostics have their own limits; this is a safety net. */
const MAX_RUN_MS = 25_000;

export function createDoctorCache(openDoctor: () => Doctor, maxRunMs = MAX_RUN_MS): DoctorCache {
  let last: DoctorReport | undefined;
  let lastAtMs = Number.NEGATIVE_INFINITY;
  let running: Promise<DoctorReport> | undefined;
  const closing = new AbortController();

  const examine = async (): Promise<DoctorReport> => {
    const doctor = openDoctor();
    // Not AbortSignal.timeout, of which AbortSignal.any holds only a weak reference.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), maxRunMs);
    try {
      const findings = await collect(doctor.examine(), AbortSignal.any([closing.signal, late.signal]));
      last = { checked_at: new Date().toISOString(), findings };
      lastAtMs = performance.now();
      return last;
    } finally {
      clearTimeout(timer);
      doctor.close();
    }
  };

  return {
    get last() {
      return last;
    },
    async run() {
      if (last && performance.now() - lastAtMs < FRESH_MS) return last;
      running ??= examine().finally(() => {
        running = undefined;
      });
      return running;
    },
    close: () => closing.abort(),
  };
}

async function collect(
  examination: AsyncGenerator<Diagnosis>,
  end: AbortSignal,
): Promise<DoctorReport["findings"]> {
  const ended = end.aborted ? undefined : once(end, "abort").then(() => undefined);
  const findings: DoctorReport["findings"] = [];
  for (;;) {
    const next = examination.next();
    next.catch(() => {}); // its failure is of no interest after the end
    const step = await Promise.race([next, ended]);
    if (step === undefined) return [...findings, INCOMPLETE];
    if (step.done) return findings;
    const { identity = null, advice = null } = step.value;
    findings.push({ ...step.value, identity, advice });
  }
}

const INCOMPLETE: DoctorReport["findings"][number] = {
  name: "the rest",
  identity: null,
  outcome: "unknown",
  found: "Diagnostics were stopped before they were complete.",
  advice: "Run it again.",
};
