/** Texts for errors of the SDK client. */
import { MailvetProblem, MailvetUnreachable } from "@mailvet/sdk";
import { common } from "../messages.ts";

export function problemText(error: unknown): string {
  if (error instanceof MailvetProblem) return common.error.problem(error.code, error.detail);
  if (error instanceof MailvetUnreachable) return common.error.unreachable;
  return error instanceof Error ? error.message : String(error);
}

/** Identifies the request in the service's log; only for errors on the server side. */
export function requestIdOf(error: unknown): string | undefined {
  return error instanceof MailvetProblem && error.status >= 500 ? error.requestId : undefined;
}

/** Error text by field name. The JSON pointer "/email" is the field "email". */
export function fieldProblems(error: unknown): Record<string, string> {
  if (!(error instanceof MailvetProblem)) return {};
  return Object.fromEntries(
    error.errors.map(({ pointer, message }) => [pointer.slice(1), common.error.field(message)]),
  );
}
