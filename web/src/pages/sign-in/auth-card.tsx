/** The quiet card that signing in and everything around it happens on. */
import { Box, Center, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

export function AuthCard({ title, intro, children, footer }: AuthCardProps) {
  useEffect(() => {
    document.title = `${title} · Mailvet`;
  }, [title]);
  return (
    <Center component="main" mih="100dvh" px="md" py="xl" className="ground">
      <Stack w="100%" maw={420} gap="lg">
        <Group gap={10} justify="center" wrap="nowrap">
          <img src="/favicon.svg" alt="" width={36} height={36} />
          <Text fw={700} fz={24} component="span">
            Mailvet
          </Text>
        </Group>
        <Paper withBorder shadow="sm" radius="lg" p={{ base: "lg", xs: "xl" }}>
          <Stack gap="md">
            <Box>
              <Title order={1} size="h3">
                {title}
              </Title>
              {intro && (
                <Text c="dimmed" size="sm" mt={4} className="breaks">
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
      </Stack>
    </Center>
  );
}

type AuthCardProps = { title: string; intro?: ReactNode; children?: ReactNode; footer?: ReactNode };
