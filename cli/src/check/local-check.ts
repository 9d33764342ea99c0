/** Checks addresses with the engine on this machine. */
import type { BulkItem, DomainReport, ValidationResult } from "@mailvet/contract";
import { type Evidence, engineFrom, freshResultOf, InvalidDomain, type Level } from "@mailvet/engine";
import { localSettings } from "../local-settings.ts";
import { badUsage } from "../remote/service.ts";

/** One result per address, in input order. Implemented here and, for a service, in remote/remote-check.ts. */
export type CheckEmails = (emails: AsyncIterable<string>) => AsyncIterable<ValidationResult | BulkItem>;

export function checkLocally(level: Level, isList: boolean): CheckEmails {
  return async function* (emails) {
    await using engine = openEngine(isList);
    yield* engine.checkMany(emails, { level });
  };
}

export async function inspectLocally(name: string): Promise<DomainReport> {
  await using engine = openEngine(false);
  return await engine.checkDomain(name).catch((error: unknown) => {
    throw error instanceof InvalidDomain ? badUsage(error.message) : error;
  });
}

/** For a few addresses no threads are started: that takes longer than the checks. */
export function openEngine(isList: boolean) {
  const settings = localSettings();
  return engineFrom(isList ? settings : { ...settings, threads: 1 }, reportFailure);
}

/** Fresh evidence as a result in the contract's shape. */
export function resultOf(evidence: Evidence): ValidationResult {
  if (evidence.failure !== undefined) reportFailure(evidence.failure);
  return freshResultOf(evidence, 0);
}

export function reportFailure(trace: string): void {
  process.stderr.write(`mailvet: internal error, please report it: ${trace}\n`);
}
