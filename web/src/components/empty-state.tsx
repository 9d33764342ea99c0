/** Shown in place of an empty list: what it is for and the first action. */
import { Box, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

export function EmptyState({
  title,
  children,
  action,
  mih,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** Height of the skeleton that was in its place, where more may be below. */
  mih?: number;
}) {
  return (
    <Paper withBorder p="xl" display="grid" style={{ placeContent: "center" }} {...(mih && { mih })}>
      <Stack align="center" gap="xs" ta="center">
        <Title order={2} size="h4">
          {title}
        </Title>
        {children && (
          <Text c="dimmed" maw={480} className="balanced">
            {children}
          </Text>
        )}
        {action && <Box mt="xs">{action}</Box>}
      </Stack>
    </Paper>
  );
}
