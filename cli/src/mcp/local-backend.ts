/** The tools of `mailvet mcp`, answered by the engine on this machine. Jobs need a service. */
import type { BulkSummary, ValidationResult } from "@mailvet/contract";
import { explainReply, InvalidDomain, listItemOf } from "@mailvet/engine";
import { emailIdentity } from "@mailvet/engine/list-file";
import { type ToolBackend, ToolFailure } from "@mailvet/mcp";
import { openEngine } from "../check/local-check.ts";

/** As a service answers by default; clients usually wait for a minute. */
const CHECK_SECONDS = 25;
const LIST_SECONDS = 50;

const NEEDS_SERVICE =
  "Jobs run at a Mailvet service, and none is configured: set MAILVET_SERVICE to its URL and MAILVET_API_KEY to a key. " +
  "Without a service, use check_many for up to 1,000 addresses.";

/** With a service too: the API has no endpoint for it. */
export const explainLocally: ToolBackend["explainReply"] = async ({ reply, ...context }) =>
  explainReply(reply, context);

export function openLocalBackend(): ToolBackend & AsyncDisposable {
  const engine = openEngine(false);
  const needsService = async () => {
    throw new ToolFailure(NEEDS_SERVICE);
  };
  return {
    check: ({ email, level = "smtp", timeout_seconds = CHECK_SECONDS }, signal) =>
      engine.check(email, { level, timeoutMs: timeout_seconds * 1000, signal }),
    async checkMany({ emails, level = "smtp", timeout_seconds = LIST_SECONDS }, signal) {
      const options = { level, timeoutMs: timeout_seconds * 1000, signal };
      const checks = new Map<string, Promise<ValidationResult>>();
      for (const email of emails) {
        const key = emailIdentity(email);
        if (!checks.has(key)) checks.set(key, engine.check(email, options));
      }
      const results = await Promise.all(checks.values());
      return summaryOf(results, emails.length);
    },
    explainReply: explainLocally,
    inspectDomain: ({ domain }, signal) =>
      engine.checkDomain(domain, { signal }).catch((error: unknown) => {
        throw error instanceof InvalidDomain ? new ToolFailure(error.message) : error;
      }),
    startJob: needsService,
    jobStatus: needsService,
    jobResults: needsService,
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

function summaryOf(results: readonly ValidationResult[], total: number): BulkSummary {
  const countOf = (wanted: string) => results.filter(({ status }) => status === wanted).length;
  return {
    total,
    valid_count: countOf("valid"),
    invalid_count: countOf("invalid"),
    risky_count: countOf("risky"),
    unknown_count: countOf("unknown"),
    duplicate_count: total - results.length,
    credits_used: 0,
    credits_refunded: 0,
    results: results.map(listItemOf),
  };
}
