/** How long each kind of data is kept. */

import { Anchor, Box, Flex, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Section } from "../../components/section.tsx";
import { common } from "../../messages.ts";
import { aboutQuery } from "../../queries.ts";
import { messages } from "./messages.tsx";

export function DataRetention() {
  const { data: about } = useQuery(aboutQuery);
  const resultDays = about ? common.days(about.retention_days) : messages.retention.unknownDays;
  return (
    <Section
      title={messages.retention.title}
      intro={messages.retention.intro(
        <Anchor component={Link} to="/bulk" inherit underline="always">
          {messages.retention.bulk}
        </Anchor>,
      )}
    >
      <Stack gap="sm" component="dl" m={0}>
        {messages.retention.rows(resultDays).map(([data, period, details]) => (
          <Flex key={data} direction={{ base: "column", sm: "row" }} columnGap="lg">
            <Box component="dt" fw={500} w={{ sm: 260 }} flex="none">
              {data}
            </Box>
            <Box component="dd" m={0}>
              {period}
              <Text size="sm" c="dimmed">
                {details}
              </Text>
            </Box>
          </Flex>
        ))}
      </Stack>
    </Section>
  );
}
