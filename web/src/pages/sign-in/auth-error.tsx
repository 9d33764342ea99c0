/** Errors of the auth forms that belong to no field. */

import { MailvetProblem } from "@mailvet/sdk";
import { Alert } from "@mantine/core";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { formatDuration } from "../../components/timestamp.tsx";
import { locale } from "../../language.ts";
import { messages } from "./messages.tsx";

/** `fieldCodes` are the problem codes that the page shows at a field. */
export function AuthError({ error, fieldCodes = [] }: AuthErrorProps) {
  if (!error) return null;
  if (!(error instanceof MailvetProblem)) return <ErrorAlert error={error} />;
  if (fieldCodes.includes(error.code) || error.errors.length > 0) return null;
  if (error.code !== "rate_limited") return <ErrorAlert error={error} />;
  return (
    <Alert color="yellow" variant="light" role="alert" title={messages.tooManyAttempts}>
      {waitText(error)}
    </Alert>
  );
}

type AuthErrorProps = { error: unknown; fieldCodes?: readonly string[] | undefined };

function waitText({ retryAfterSeconds }: MailvetProblem): string {
  if (retryAfterSeconds === undefined) return messages.waitUnknown;
  const until = new Date(Date.now() + retryAfterSeconds * 1000);
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "short" }).format(until);
  return messages.waitText(formatDuration(retryAfterSeconds), time);
}

export function isProblem(error: unknown, code: string): error is MailvetProblem {
  return error instanceof MailvetProblem && error.code === code;
}
