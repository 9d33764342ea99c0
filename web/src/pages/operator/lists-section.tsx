/** List of disposable domains: source, age, and the last failed refresh. */

import type { SystemLists } from "@mailvet/contract";
import { Text } from "@mantine/core";
import { Section } from "../../components/section.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { messages } from "./messages.tsx";

export function ListsSection({ lists }: { lists: SystemLists }) {
  const { source, age_days, names, refresh, last_failure } = lists;
  return (
    <Section title={messages.lists.title}>
      <Text className="tabular">
        {messages.lists.summary(names, source === "packaged", age_days, refresh === "daily")}
        {last_failure && (
          <Text span c="red" role="status">
            {" "}
            {messages.lists.failed(<Timestamp at={last_failure.at} />, last_failure.reason)}
          </Text>
        )}
      </Text>
    </Section>
  );
}
