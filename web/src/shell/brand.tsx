/** The name and the mark, leading home. */
import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";

export function Brand() {
  return (
    <Anchor component={Link} to="/" underline="never" c="inherit" aria-label="Mailvet, overview">
      <Group gap={8} wrap="nowrap">
        <img src="/favicon.svg" alt="" width={28} height={28} />
        <Text fw={700} size="lg">
          Mailvet
        </Text>
      </Group>
    </Anchor>
  );
}
