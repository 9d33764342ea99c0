/** Shown before the first check: the stages of a check and the possible verdicts. */
import type { Status } from "@mailvet/contract";
import { Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { Section } from "../../components/section.tsx";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";
import { OUTCOME_OF, OutcomeIcon } from "./outcome-icon.tsx";

export function HowItWorks() {
  const { title, steps, results, meanings } = messages.howItWorks;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Section title={title}>
        <Stack component="ol" gap="md" className="plain-list">
          {steps.map(([name, text], index) => (
            <Item
              key={name}
              title={name}
              icon={
                <Text fw={600} c="dimmed" w={28} ta="center" style={{ flex: "none" }} aria-hidden="true">
                  {index + 1}
                </Text>
              }
            >
              {text}
            </Item>
          ))}
        </Stack>
      </Section>
      <Section title={results}>
        <Stack component="ul" gap="md" className="plain-list">
          {(Object.keys(meanings) as Status[]).map((status) => (
            <Item
              key={status}
              title={common.status[status]}
              icon={<OutcomeIcon outcome={OUTCOME_OF[status]} />}
            >
              {meanings[status]}
            </Item>
          ))}
        </Stack>
      </Section>
    </SimpleGrid>
  );
}

function Item({ icon, title, children }: { icon: React.ReactNode; title: string; children: string }) {
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="flex-start">
      {icon}
      <div>
        <Text fw={500}>{title}</Text>
        <Text size="sm" c="dimmed">
          {children}
        </Text>
      </div>
    </Group>
  );
}
