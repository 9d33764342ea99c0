/** A page that could not be shown. */
import { Container } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { ErrorAlert } from "./error-alert.tsx";

export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <Container py="xl">
      <ErrorAlert title="This page could not be shown" error={error} onRetry={reset} />
    </Container>
  );
}
