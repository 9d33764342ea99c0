/** What is kept of the account's data, and for how long. */
import { Anchor, Box, Flex, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { aboutQuery } from "../../queries.ts";
import { plural } from "../../shared/number-format.ts";
import { Section } from "../../shared/section.tsx";

/** What → for how long, and how to be rid of it sooner. */
const kept = (resultDays: string) => [
  [
    "Uploaded files",
    "A day, unless you confirm them",
    "A confirmed upload becomes a job and stays as long as its results.",
  ],
  [
    "Results of jobs",
    `${resultDays} after the job has ended`,
    "Each job shows the date. Deleting a job erases its rows and results at once.",
  ],
  [
    "What we learnt about an address",
    "An hour to three days, depending on the verdict; 30 days more to meet what you tell us of bounces",
    "So that asking again is quick. Nobody else's questions are answered from it, and it knows addresses only by a hash.",
  ],
  [
    "What you told us of deliveries and bounces",
    "180 days; complaints, and what all of it adds up to, as long as the account",
    "By a hash of the address. “Forget all outcomes” on the Usage page erases it at once.",
  ],
  ["Webhook messages", "30 days", "Deleting an endpoint erases them at once."],
  ["Revoked keys", "Listed for 90 days", "A key's secret is never kept, only its hash."],
  ["Credits and usage", "As long as the account", "Counts by day and key, without addresses."],
];

export function DataRetention() {
  const { data: about } = useQuery(aboutQuery);
  const resultDays = about ? plural(about.retention_days, "day") : "For some days";
  return (
    <Section
      title="What we keep"
      intro={
        <>
          Files and results belong to you: delete a job under{" "}
          <Anchor component={Link} to="/bulk" inherit underline="always">
            Bulk
          </Anchor>{" "}
          and they are gone.
        </>
      }
    >
      <Stack gap="sm" component="dl" m={0}>
        {kept(resultDays).map(([what, howLong, more]) => (
          <Flex key={what} direction={{ base: "column", sm: "row" }} columnGap="lg">
            <Box component="dt" fw={600} w={{ sm: 260 }} flex="none">
              {what}
            </Box>
            <Box component="dd" m={0}>
              {howLong}
              <Text size="sm" c="dimmed">
                {more}
              </Text>
            </Box>
          </Flex>
        ))}
      </Stack>
    </Section>
  );
}
