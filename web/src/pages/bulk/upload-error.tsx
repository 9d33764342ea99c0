/** A rejected upload: what is wrong with the file, and what to do. */
import { MailvetProblem, type ProblemCode } from "@mailvet/sdk";
import { Alert, Text } from "@mantine/core";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { messages } from "./messages.tsx";

export function UploadError({ error, filename }: { error: unknown; filename?: string | undefined }) {
  const texts =
    error instanceof MailvetProblem ? messages.uploadErrors[error.code as ProblemCode] : undefined;
  if (!texts || !(error instanceof MailvetProblem)) {
    return <ErrorAlert title={messages.upload.failed} error={error} />;
  }
  const [title, advice] = texts;
  return (
    <Alert color="red" role="alert" variant="light" title={title}>
      {filename && (
        <Text size="sm" fw={500} className="breaks">
          {filename}
        </Text>
      )}
      <Text size="sm" className="breaks">
        {messages.uploadDetail(error)}
      </Text>
      <Text size="sm" mt={4}>
        {advice}
      </Text>
    </Alert>
  );
}
