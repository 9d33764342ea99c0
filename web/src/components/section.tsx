/** A titled section of a page. */
import { Box, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

export function Section({ title, intro, actions, children }: SectionProps) {
  return (
    <Paper component="section" withBorder p={{ base: "md", sm: "lg" }} aria-label={title}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Box maw={640}>
            <Title order={2} size="h4">
              {title}
            </Title>
            {intro && (
              <Text c="dimmed" size="sm" mt={2} className="balanced">
                {intro}
              </Text>
            )}
          </Box>
          {actions}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}

type SectionProps = { title: string; intro?: ReactNode; actions?: ReactNode; children: ReactNode };
