/** What went wrong, in words for the person in front of the page. */
import { MailvetProblem, MailvetUnreachable } from "@mailvet/sdk";

export function problemText(error: unknown): string {
  if (error instanceof MailvetProblem) return error.detail;
  if (error instanceof MailvetUnreachable) return "The service cannot be reached at the moment.";
  return error instanceof Error ? error.message : String(error);
}

/** Names the request in the service's log, for whoever asks the operator. */
export function requestIdOf(error: unknown): string | undefined {
  return error instanceof MailvetProblem && error.status >= 500 ? error.requestId : undefined;
}

/** What is wrong beside which field: "email" → sentence. The pointer "/email" names the field "email". */
export function fieldProblems(error: unknown): Record<string, string> {
  if (!(error instanceof MailvetProblem)) return {};
  return Object.fromEntries(
    error.errors.map(({ pointer, message }) => [pointer.slice(1), sentence(message)]),
  );
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`.replace(/\.\.$/, ".");
}
