/** A titled section of a page: a card, or bare where it has a table, which has a frame of its own. */
import { Box, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

export function Section({ title, intro, actions, isBare = false, children }: SectionProps) {
  const content = (
    <Stack gap={isBare ? "sm" : "md"}>
      <Group justify="space-between" align={isBare ? "center" : "flex-start"} gap="sm">
        <Box maw={640}>
          <Title order={2} size="h4">
            {title}
          </Title>
          {intro && (
            <Text c="dimmed" size="sm" mt={2} className="pretty">
              {intro}
            </Text>
          )}
        </Box>
        {actions}
      </Group>
      {children}
    </Stack>
  );
  if (isBare) return <section aria-label={title}>{content}</section>;
  return (
    <Paper component="section" withBorder p={{ base: "md", sm: "lg" }} aria-label={title}>
      {content}
    </Paper>
  );
}

type SectionProps = {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  isBare?: boolean;
  children: ReactNode;
};
