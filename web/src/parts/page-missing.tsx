/** A path where nothing is. */
import { Anchor, Container, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";

export function PageMissing() {
  return (
    <Container py={80}>
      <Stack align="center" gap="sm">
        <Title order={1}>There is no such page</Title>
        <Text c="dimmed">The link may be old, or mistyped.</Text>
        <Anchor component={Link} to="/">
          To the overview
        </Anchor>
      </Stack>
    </Container>
  );
}
