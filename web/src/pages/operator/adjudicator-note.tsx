/** How the language model is doing that gives a second opinion, where one is set. */
import type { SystemAdjudicator } from "@mailvet/contract";
import { Text } from "@mantine/core";
import { counted, grouped } from "../../parts/counted.ts";
import { Moment } from "../../parts/moment.tsx";
import { Section } from "../../parts/section.tsx";

export function AdjudicatorNote({ adjudicator }: { adjudicator: SystemAdjudicator }) {
  const { model, asked_today, daily_budget, answered, remembered, failed, not_asked, rests_until } =
    adjudicator;
  return (
    <Section
      title="Language model"
      intro={`${model} gives a second opinion where a mailbox name leaves room for doubt. Whatever it does, the local model stands in.`}
    >
      <Text className="tabular">
        {`Asked ${grouped(asked_today)} of ${counted(daily_budget, "question")} today (UTC).`}
      </Text>
      <Text size="sm" c="dimmed">
        {`In the process that answered this, since its start: ${grouped(answered)} answered, ${grouped(remembered)} remembered, ${grouped(failed)} failed, ${grouped(not_asked)} not asked.`}
      </Text>
      {rests_until && (
        <Text c="red" role="status">
          It failed again and again, and is not asked until <Moment at={rests_until} />.
        </Text>
      )}
    </Section>
  );
}
