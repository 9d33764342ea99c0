/** Pages of the router for an unknown path and for a page that failed to render. */
import { Anchor, Container, Stack, Text, Title } from "@mantine/core";
import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { common } from "../messages.ts";
import { useDocumentTitle } from "./document-title.tsx";
import { ErrorAlert } from "./error-alert.tsx";

export function PageNotFound() {
  useDocumentTitle(common.notFound.title);
  return (
    <Container component="main" py={80}>
      <Stack align="center" ta="center" gap="sm">
        <Title order={1}>{common.notFound.title}</Title>
        <Text c="dimmed">{common.notFound.hint}</Text>
        <Anchor component={Link} to="/">
          {common.notFound.home}
        </Anchor>
      </Stack>
    </Container>
  );
}

export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <Container py="xl">
      <ErrorAlert title={common.error.page} error={error} onRetry={reset} />
    </Container>
  );
}
