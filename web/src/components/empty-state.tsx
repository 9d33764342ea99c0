/** Shown in place of an empty list: what it is for and the first action. */
import { Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="xs" ta="center">
        <Title order={2} size="h4">
          {title}
        </Title>
        {children && (
          <Text c="dimmed" maw={480} className="balanced">
            {children}
          </Text>
        )}
        {action}
      </Stack>
    </Paper>
  );
}
