/** How the language model is doing that gives a second opinion, where one is set. */
import type { SystemAdjudicator } from "@mailvet/contract";
import { Text } from "@mantine/core";
import { formatNumber, plural } from "../../shared/number-format.ts";
import { Section } from "../../shared/section.tsx";
import { Timestamp } from "../../shared/timestamp.tsx";

export function AdjudicatorSection({ adjudicator }: { adjudicator: SystemAdjudicator }) {
  const { model, asked_today, daily_budget, answered, remembered, failed, not_asked, rests_until } =
    adjudicator;
  return (
    <Section
      title="Language model"
      intro={`${model} gives a second opinion where a mailbox name leaves room for doubt. Whatever it does, the local model stands in.`}
    >
      <Text className="tabular">
        {`Asked ${formatNumber(asked_today)} of ${plural(daily_budget, "question")} today (UTC).`}
      </Text>
      <Text size="sm" c="dimmed">
        {`In the process that answered this, since its start: ${formatNumber(answered)} answered, ${formatNumber(remembered)} remembered, ${formatNumber(failed)} failed, ${formatNumber(not_asked)} not asked.`}
      </Text>
      {rests_until && (
        <Text c="red" role="status">
          It failed again and again, and is not asked until <Timestamp at={rests_until} />.
        </Text>
      )}
    </Section>
  );
}
