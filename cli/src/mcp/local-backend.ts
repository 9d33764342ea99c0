/** The tools of `mailvet mcp`, answered by the engine on this machine. Jobs need a service. */
import type { BulkItem, BulkSummary, ValidationResult } from "@mailvet/contract";
import { explainReply, InvalidDomain } from "@mailvet/engine";
import { type ToolBackend, ToolFailure } from "@mailvet/mcp";
import { openEngine } from "../check/local-check.ts";

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
    check: ({ email, level = "smtp", timeout_seconds }) =>
      engine.check(email, {
        level,
        ...(timeout_seconds === undefined ? {} : { timeoutMs: timeout_seconds * 1000 }),
      }),
    async checkMany({ emails, level = "smtp", timeout_seconds }) {
      const unique = [...new Set(emails)];
      const timeoutMs = timeout_seconds === undefined ? {} : { timeoutMs: timeout_seconds * 1000 };
      const results = await Promise.all(unique.map((email) => engine.check(email, { level, ...timeoutMs })));
      return summaryOf(results, emails.length);
    },
    explainReply: explainLocally,
    inspectDomain: ({ domain }) =>
      engine.checkDomain(domain).catch((error: unknown) => {
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
    results: results.map(itemOf),
  };
}

function itemOf(result: ValidationResult): BulkItem {
  const { email, status, sub_status, is_valid, safe_to_send, recommendation, confidence, score, suggestion } =
    result;
  const { retry_after } = result.metadata;
  return {
    email,
    status,
    is_valid,
    safe_to_send,
    recommendation,
    confidence,
    sub_status,
    score,
    suggestion,
    retry_after,
  };
}
