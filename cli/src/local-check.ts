/** Checks addresses with the engine on this machine, many at once. */
import { randomUUID } from "node:crypto";
import type { BulkItem, ValidationResult } from "@mailvet/contract";
import { type Evidence, type Level, reportOf, type Verifier, verifierFrom } from "@mailvet/engine";
import { inOrder } from "./in-order.ts";
import { localSettings } from "./local-settings.ts";

/** Turns addresses into results, one for each and in their order: here, or at a service (remote-check.ts). */
export type CheckEmails = (emails: AsyncIterable<string>) => AsyncIterable<ValidationResult | BulkItem>;

/** How many addresses are under way at once: the longer an answer takes, the more. */
export const WIDTH: Record<Level, number> = { syntax: 256, dns: 256, smtp: 5000 };

export function checkHere(level: Level): CheckEmails {
  return async function* (emails) {
    const verifier = verifierFrom(localSettings());
    try {
      yield* inOrder(emails, WIDTH[level], (email) => checkOne(verifier, email, level));
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

/** Evidence that was gathered just now, in the contract's shape. */
export function resultOf(evidence: Evidence, responseTimeMs: number): ValidationResult {
  if (evidence.failure)
    process.stderr.write(`mailvet: this is a bug, please report it: ${evidence.failure}\n`);
  return reportOf(evidence, {
    requestId: randomUUID(),
    planTier: "local",
    responseTimeMs,
    checkedAtMs: Date.now(),
    cached: false,
  });
}
