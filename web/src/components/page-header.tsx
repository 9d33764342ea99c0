/** Heading, description and actions of a page. Also sets the document title. */
import { Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useDocumentTitle } from "./document-title.tsx";

export function PageHeader({
  title,
  children,
  actions,
}: {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  useDocumentTitle(title);
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
      <Stack gap={4} maw={720}>
        <Title order={1} size="h2" className="breaks">
          {title}
        </Title>
        {children && (
          <Text c="dimmed" className="pretty breaks">
            {children}
          </Text>
        )}
      </Stack>
      {actions}
    </Group>
  );
}
