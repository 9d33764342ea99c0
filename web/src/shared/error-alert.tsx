/** Something did not work: why, and a way to try again. */
import { Alert, Button, Text } from "@mantine/core";
import { problemText, requestIdOf } from "./problem-text.ts";

export function ErrorAlert({ error, onRetry, title = "That did not work" }: ErrorAlertProps) {
  const requestId = requestIdOf(error);
  return (
    <Alert color="red" title={title} role="alert" variant="light">
      <Text size="sm" className="breaks">
        {problemText(error)}
      </Text>
      {requestId && (
        <Text size="xs" c="dimmed" mt={4} className="breaks">
          Request {requestId}
        </Text>
      )}
      {onRetry && (
        <Button size="xs" variant="default" mt="sm" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

type ErrorAlertProps = { error: unknown; onRetry?: () => void; title?: string };
