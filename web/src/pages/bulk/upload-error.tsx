/** Why a file was not taken, and what to do about it. */
import { MailvetProblem, type ProblemCode } from "@mailvet/sdk";
import { Alert, Text } from "@mantine/core";
import { ErrorAlert } from "../../shared/error-alert.tsx";

type Words = readonly [title: string, advice: string];

const AS_CSV =
  "In Excel, Numbers or Google Sheets, save or download the sheet as CSV, then choose that file.";
const SPLIT = "Start a job for each part.";
const AGAIN = "Choose the file again.";

/** What the service says itself comes between the two. */
const REFUSALS: Partial<Record<ProblemCode, Words>> = {
  empty_file: ["The file is empty", "Choose a file with one address per row."],
  not_a_table: ["The file is not a table", AS_CSV],
  unsupported_file: ["This kind of file cannot be read", AS_CSV],
  unsupported_media_type: ["This kind of file cannot be read", AS_CSV],
  undecodable_file: ["The text of the file cannot be read", "Save it again as CSV in UTF-8."],
  compression_bomb: ["The file unpacks to too much", "Unpack it and choose the part with the addresses."],
  no_emails_found: [
    "There are no emails in the file",
    "Check that it is the right file: one column must hold the addresses.",
  ],
  payload_too_large: ["The file is too large", "Compress it with gzip, or split it into several files."],
  too_many_rows: ["The file has too many rows", "Split it into several files."],
  too_many_emails: ["The file has too many emails", SPLIT],
  too_many_uploads: [
    "Too many files wait to be started",
    "Start one of those you have chosen before, or wait until they are erased.",
  ],
  rate_limited: ["Too many requests", "Wait a moment and try again."],
  overloaded: ["The service is busy", "Wait a moment and try again."],
  insufficient_credits: ["There are not enough credits", "Choose a shorter list, or get more credits first."],
  upload_not_found: ["The file is no longer here", AGAIN],
  upload_expired: ["The file was kept for a day and is now erased", AGAIN],
  email_column_not_found: ["There is no such column", "Choose another one."],
  too_many_active_jobs: ["Too many jobs at once", "Wait until one has ended, or cancel one below."],
  job_state_conflict: ["This file was started already", "You find its job in the list below."],
};

export function UploadError({ error, filename }: { error: unknown; filename?: string | undefined }) {
  const words = error instanceof MailvetProblem ? REFUSALS[error.code as ProblemCode] : undefined;
  if (!words || !(error instanceof MailvetProblem)) {
    return <ErrorAlert title="The file could not be sent" error={error} />;
  }
  const [title, advice] = words;
  return (
    <Alert color="red" role="alert" variant="light" title={title}>
      {filename && (
        <Text size="sm" fw={600} className="breaks">
          {filename}
        </Text>
      )}
      <Text size="sm" className="breaks">
        {error.detail}
      </Text>
      <Text size="sm" mt={4}>
        {advice}
      </Text>
    </Alert>
  );
}
