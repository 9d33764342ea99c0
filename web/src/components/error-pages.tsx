/** Pages of the router for an unknown path and for a page that failed to render. */
import { Anchor, Button, Center, Container, Group, Stack, Text, Title } from "@mantine/core";
import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { common } from "../messages.ts";
import { useDocumentTitle } from "./document-title.tsx";
import { ErrorAlert } from "./error-alert.tsx";

export function PageNotFound() {
  const { title, hint, code, home, validate, reference } = common.notFound;
  useDocumentTitle(title);
  return (
    <Center component="main" mih="100dvh" px="md" py="xl" className="ground">
      <Stack align="center" ta="center" gap="sm" maw={440}>
        <img src="/favicon.svg" alt="" width={44} height={44} />
        <Text c="dimmed" size="sm" mt="md" className="tabular">
          {code}
        </Text>
        <Title order={1} className="display">
          {title}
        </Title>
        <Text c="dimmed">{hint}</Text>
        <Button mt="md" renderRoot={(props) => <Link {...props} to="/" />}>
          {home}
        </Button>
        <Group gap="lg" mt="xs">
          <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/validate" />}>
            {validate}
          </Anchor>
          <Anchor size="sm" href="/docs">
            {reference}
          </Anchor>
        </Group>
      </Stack>
    </Center>
  );
}

export function PageError({ error, reset }: ErrorComponentProps) {
  return (
    <Container py="xl">
      <ErrorAlert title={common.error.page} error={error} onRetry={reset} />
    </Container>
  );
}
