/** A failed request: reason, request id, retry button. */
import { MailvetUnreachable } from "@mailvet/sdk";
import { Alert, Button, Text } from "@mantine/core";
import { useIsConnectionLost } from "../connection.ts";
import { common } from "../messages.ts";
import { isSignedOut } from "../service.ts";
import { problemText, requestIdOf } from "./problem-text.ts";

export function ErrorAlert({ error, onRetry, title = common.error.title }: ErrorAlertProps) {
  const requestId = requestIdOf(error);
  const isConnectionLost = useIsConnectionLost();
  // The banner of the app says it once, with the same retry.
  if (isConnectionLost && onRetry && error instanceof MailvetUnreachable) return null;
  // The sign-in was asked for in place of the page.
  if (isSignedOut(error)) return null;
  return (
    <Alert color="red" title={title} role="alert" variant="light">
      <Text size="sm" className="breaks">
        {problemText(error)}
      </Text>
      {requestId && (
        <Text size="xs" c="dimmed" mt={4} className="breaks">
          {common.error.requestId(requestId)}
        </Text>
      )}
      {onRetry && (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          {common.retry}
        </Button>
      )}
    </Alert>
  );
}

type ErrorAlertProps = { error: unknown; onRetry?: () => void; title?: string };
