/** How many emails a file may hold, and what is said when there are more. */
import type { Plan } from "@mailvet/contract";
import { PLAN_LIMITS } from "../accounts/plans.ts";
import { Refusal } from "../refusal.ts";
import type { ColumnCount } from "./column-index.ts";

export function maxEmailsOf(plan: Plan, maxEmailsPerFile: number): number {
  return Math.min(maxEmailsPerFile, PLAN_LIMITS[plan].emails_per_file);
}

/**
 * Rows whose cell looks like an email count, repeated or not. What is no email counts when it is different from the
 * rest, for then it is looked at too.
 */
export function refuseTooManyEmails(
  limit: number,
  looksLikeEmail: number,
  { emails, unique }: ColumnCount,
  pointer: "/file" | "/email_column",
): void {
  const found = Math.max(looksLikeEmail, unique ?? emails);
  if (found <= limit) return;
  const message = `There are ${found.toLocaleString("en")} emails, and a file may have ${limit.toLocaleString("en")}.`;
  const extras = { errors: [{ pointer, message }], found, limit };
  throw new Refusal("too_many_emails", `${message} Split it into several files.`, extras);
}
