/** A page that could not be shown. */
import { Container } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { FailureNote } from "./failure-note.tsx";

export function PageFailed({ error, reset }: ErrorComponentProps) {
  return (
    <Container py="xl">
      <FailureNote title="This page could not be shown" error={error} onRetry={reset} />
    </Container>
  );
}
