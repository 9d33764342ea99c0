/** Budget and counters of the language model that gives second opinions. */

import type { SystemAdjudicator } from "@mailvet/contract";
import { Text } from "@mantine/core";
import { Section } from "../../components/section.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { messages } from "./messages.tsx";

export function AdjudicatorSection({ adjudicator }: { adjudicator: SystemAdjudicator }) {
  const { model, asked_today, daily_budget, answered, remembered, failed, not_asked, rests_until } =
    adjudicator;
  return (
    <Section title={messages.adjudicator.title} intro={messages.adjudicator.intro(model)}>
      <Text className="tabular">{messages.adjudicator.budget(asked_today, daily_budget)}</Text>
      <Text size="sm" c="dimmed">
        {messages.adjudicator.counts(answered, remembered, failed, not_asked)}
      </Text>
      {rests_until && (
        <Text c="red" role="status">
          {messages.adjudicator.paused(<Timestamp at={rests_until} isExact />)}
        </Text>
      )}
    </Section>
  );
}
