/** Limit of emails per file. */
import type { Plan } from "@mailvet/contract";
import { PLAN_LIMITS } from "../accounts/plans.ts";
import { Refusal } from "../base/refusal.ts";
import type { ColumnCount } from "./column-email-counts.ts";

/** A group is as large as this many files. */
export const GROUP_FILES = 10;

export function maxEmailsOf(plan: Plan, maxEmailsPerFile: number, isGroup: boolean): number {
  return Math.min(maxEmailsPerFile, PLAN_LIMITS[plan].emails_per_file) * (isGroup ? GROUP_FILES : 1);
}

/**
 * Every cell that looks like an email counts, duplicates included. Other cells count once per distinct text, because
 * each gets a verdict too.
 */
export function refuseTooManyEmails(
  limit: number,
  looksLikeEmail: number,
  { emails, unique }: ColumnCount,
  pointer: string,
): void {
  const found = Math.max(looksLikeEmail, unique ?? emails);
  if (found <= limit) return;
  const message = `The file has ${found.toLocaleString("en")} emails, and the limit is ${limit.toLocaleString("en")}.`;
  const extras = { errors: [{ pointer, message }], found, limit };
  throw new Refusal(
    "too_many_emails",
    `${message} Split it into several files, or let the service split it.`,
    extras,
  );
}
