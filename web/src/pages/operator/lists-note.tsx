/** The list of disposable domains: how old it is, where it comes from, and why the last refresh failed. */
import type { SystemLists } from "@mailvet/contract";
import { Text } from "@mantine/core";
import { counted, grouped } from "../../parts/counted.ts";
import { Moment } from "../../parts/moment.tsx";
import { Section } from "../../parts/section.tsx";

export function ListsNote({ lists }: { lists: SystemLists }) {
  const { source, age_days, names, refresh, last_failure } = lists;
  return (
    <Section title="Reference lists">
      <Text className="tabular">
        {`${grouped(names)} disposable domains, ${source === "packaged" ? "as released" : "refreshed"}, ${counted(age_days, "day")} old. `}
        {refresh === "daily" ? "Refreshed daily." : "Automatic refresh is off (LISTS_REFRESH)."}
        {last_failure && (
          <Text span c="red" role="status">
            {" Last refresh failed "}
            <Moment at={last_failure.at} />
            {`: ${last_failure.reason}`}
          </Text>
        )}
      </Text>
    </Section>
  );
}
