/** A path where nothing is. */
import { Anchor, Container, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useDocumentTitle } from "./document-title.tsx";

const TITLE = "There is no such page";

export function PageNotFound() {
  useDocumentTitle(TITLE);
  return (
    <Container component="main" py={80}>
      <Stack align="center" ta="center" gap="sm">
        <Title order={1}>{TITLE}</Title>
        <Text c="dimmed">The link may be old, or mistyped.</Text>
        <Anchor component={Link} to="/">
          To the overview
        </Anchor>
      </Stack>
    </Container>
  );
}
