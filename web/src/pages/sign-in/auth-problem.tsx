/** Why signing in or up was declined, where no field is to blame. */
import { MailvetProblem } from "@mailvet/sdk";
import { Alert } from "@mantine/core";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { formatDuration } from "../../shared/timestamp.tsx";

/** Codes that a page tells beside a field of its own are named in `besideFields`. */
export function AuthProblem({ error, besideFields = [] }: AuthProblemProps) {
  if (!error) return null;
  if (!(error instanceof MailvetProblem)) return <ErrorAlert error={error} />;
  if (besideFields.includes(error.code) || error.errors.length > 0) return null;
  if (error.code !== "rate_limited") return <ErrorAlert error={error} />;
  return (
    <Alert color="yellow" variant="light" role="alert" title="Too many tries">
      {`Please wait ${waitingTime(error)} before the next one.`}
    </Alert>
  );
}

type AuthProblemProps = { error: unknown; besideFields?: readonly string[] | undefined };

function waitingTime({ retryAfterSeconds }: MailvetProblem): string {
  if (retryAfterSeconds === undefined) return "a while";
  const until = new Date(Date.now() + retryAfterSeconds * 1000);
  const time = new Intl.DateTimeFormat(undefined, { timeStyle: "short" }).format(until);
  return `${formatDuration(retryAfterSeconds)}, until ${time},`;
}

export function isProblem(error: unknown, code: string): error is MailvetProblem {
  return error instanceof MailvetProblem && error.code === code;
}

/** Beside a field that was left empty. */
export const MISSING = "Please fill this in.";
