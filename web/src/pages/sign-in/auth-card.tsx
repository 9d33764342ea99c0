/** Card layout of all pages around sign-in. */

import { Box, Center, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useDocumentTitle } from "../../components/document-title.tsx";
import { common } from "../../messages.ts";
import { LanguageLinks } from "./language-links.tsx";

export function AuthCard({ title, intro, children, footer }: AuthCardProps) {
  useDocumentTitle(title);
  return (
    <Center component="main" mih="100dvh" px="md" py="xl" className="ground">
      <Stack w="100%" maw={420} gap="lg">
        <Stack gap={4} align="center" ta="center">
          <Group gap={10} wrap="nowrap">
            <img src="/favicon.svg" alt="" width={36} height={36} />
            <Text fw={600} fz={24} component="span">
              {common.app}
            </Text>
          </Group>
          <Text c="dimmed" size="sm" className="balanced">
            {common.tagline}
          </Text>
        </Stack>
        <Paper withBorder shadow="sm" radius="lg" p={{ base: "lg", xs: "xl" }}>
          <Stack gap="md">
            <Box>
              <Title order={1} size="h3">
                {title}
              </Title>
              {intro && (
                <Text c="dimmed" size="sm" mt={4} className="breaks pretty">
                  {intro}
                </Text>
              )}
            </Box>
            {children}
          </Stack>
        </Paper>
        {footer && (
          <Text size="sm" ta="center" c="dimmed">
            {footer}
          </Text>
        )}
        <LanguageLinks />
      </Stack>
    </Center>
  );
}

type AuthCardProps = { title: string; intro?: ReactNode; children?: ReactNode; footer?: ReactNode };
