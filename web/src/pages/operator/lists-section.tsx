/** The list of disposable domains: how old it is, where it comes from, and why the last refresh failed. */
import type { SystemLists } from "@mailvet/contract";
import { Text } from "@mantine/core";
import { formatNumber, plural } from "../../shared/number-format.ts";
import { Section } from "../../shared/section.tsx";
import { Timestamp } from "../../shared/timestamp.tsx";

export function ListsSection({ lists }: { lists: SystemLists }) {
  const { source, age_days, names, refresh, last_failure } = lists;
  return (
    <Section title="Reference lists">
      <Text className="tabular">
        {`${formatNumber(names)} disposable domains, ${source === "packaged" ? "as released" : "refreshed"}, ${plural(age_days, "day")} old. `}
        {refresh === "daily" ? "Refreshed daily." : "Automatic refresh is off (LISTS_REFRESH)."}
        {last_failure && (
          <Text span c="red" role="status">
            {" Last refresh failed "}
            <Timestamp at={last_failure.at} />
            {`: ${last_failure.reason}`}
          </Text>
        )}
      </Text>
    </Section>
  );
}
