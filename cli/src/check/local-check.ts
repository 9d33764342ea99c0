/** Checks addresses concurrently with the engine on this machine. */
import { randomUUID } from "node:crypto";
import type { BulkItem, ValidationResult } from "@mailvet/contract";
import { type Evidence, type Level, reportOf, type Verifier, verifierFrom } from "@mailvet/engine";
import { localSettings } from "../local-settings.ts";
import { type MapOptions, mapByDomain } from "./map-by-domain.ts";

/** One result per address, in input order. Implemented here and, for a service, in remote/remote-check.ts. */
export type CheckEmails = (emails: AsyncIterable<string>) => AsyncIterable<ValidationResult | BulkItem>;

/**
 * Addresses in flight at once. Slower levels need more to keep the engine busy. A domain's share fills several
 * sessions, and leaves room for others beside a slow one.
 */
export const CONCURRENCY: Record<Level, Pick<MapOptions, "concurrency" | "perDomain">> = {
  syntax: { concurrency: 256, perDomain: 256 },
  dns: { concurrency: 256, perDomain: 256 },
  smtp: { concurrency: 5000, perDomain: 250 },
};

/** Addresses whose results may wait for those of earlier ones, in about 32 MiB of memory. */
const WINDOW = 20_000;

/** For a few addresses no threads are started: that takes longer than the checks. */
export function checkLocally(level: Level, isList: boolean): CheckEmails {
  return async function* (emails) {
    const settings = localSettings();
    const verifier = verifierFrom(isList ? settings : { ...settings, threads: 1 });
    try {
      const options = { isOrdered: true, window: WINDOW, ...CONCURRENCY[level] };
      yield* mapByDomain(emails, String, options, (email) => checkOne(verifier, email, level));
    } finally {
      await verifier.close();
    }
  };
}

async function checkOne(verifier: Verifier, email: string, level: Level): Promise<ValidationResult> {
  const started = performance.now();
  const evidence = await verifier.verify(email, level);
  return resultOf(evidence, performance.now() - started);
}

/** Fresh evidence as a result in the contract's shape. */
export function resultOf(evidence: Evidence, responseTimeMs: number): ValidationResult {
  if (evidence.failure)
    process.stderr.write(`mailvet: internal error, please report it: ${evidence.failure}\n`);
  return reportOf(evidence, {
    requestId: randomUUID(),
    planTier: "local",
    responseTimeMs,
    checkedAtMs: Date.now(),
    cached: false,
  });
}
