/** For the first visit: how an address is checked, and what the four verdicts are. */
import type { Status } from "@mailvet/contract";
import { Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { Section } from "../../shared/section.tsx";
import { OUTCOME_OF, OutcomeIcon } from "./outcome-icon.tsx";

const STEPS: readonly (readonly [title: string, does: string])[] = [
  ["Read", "Is it written like an address, and like one that its provider gives out?"],
  ["Look it up", "Is the domain known for throw-away mailboxes, and which servers take its mail?"],
  ["Ask", "The mail server itself is asked for the mailbox. Nothing is ever sent."],
  ["Ask again", "And for a made-up one: whoever accepts every name has proven nothing."],
];

const VERDICTS: readonly (readonly [Status, name: string, means: string])[] = [
  ["valid", "Valid", "The server takes this mailbox and refuses made-up ones."],
  ["risky", "Risky", "It may arrive, but something speaks against sending."],
  ["unknown", "Unknown", "Nobody could tell. You read why, and when to ask again."],
  ["invalid", "Invalid", "A message would come back."],
];

export function HowItWorks() {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Section title="How an address is checked">
        <Stack component="ol" gap="md" className="plain-list">
          {STEPS.map(([title, does], index) => (
            <Line
              key={title}
              title={title}
              mark={
                <Text fw={650} c="dimmed" w={28} ta="center" style={{ flex: "none" }} aria-hidden="true">
                  {index + 1}
                </Text>
              }
            >
              {does}
            </Line>
          ))}
        </Stack>
      </Section>
      <Section title="What comes of it">
        <Stack component="ul" gap="md" className="plain-list">
          {VERDICTS.map(([status, name, means]) => (
            <Line key={status} title={name} mark={<OutcomeIcon outcome={OUTCOME_OF[status]} />}>
              {means}
            </Line>
          ))}
        </Stack>
      </Section>
    </SimpleGrid>
  );
}

function Line({ mark, title, children }: { mark: React.ReactNode; title: string; children: string }) {
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="flex-start">
      {mark}
      <div>
        <Text fw={600}>{title}</Text>
        <Text size="sm" c="dimmed">
          {children}
        </Text>
      </div>
    </Group>
  );
}
