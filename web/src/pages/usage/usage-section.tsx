/** What the credits were used for: per day and per key, over a range of days. */
import { Button, Group, Paper, SegmentedControl, Select, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { plural } from "../../shared/number-format.ts";
import { keysQuery } from "../keys/key-queries.ts";
import { keyNames, WEB_APP } from "./key-names.ts";
import { UsageByKey } from "./usage-by-key.tsx";
import { saveFile, usageCsv } from "./usage-csv.ts";
import { checked, perDay, perKey, sumCounts } from "./usage-days.ts";
import { usageQuery } from "./usage-queries.ts";
import { VerdictsPerDay } from "./verdicts-per-day.tsx";

export const RANGES = ["7", "30", "90"] as const;
const ALL_KEYS = "all";
export type Range = (typeof RANGES)[number];

export function UsageSection({
  range,
  keyId,
  onChoose,
}: {
  range: Range;
  /** A key, the web app, or undefined for all of them. */
  keyId: string | undefined;
  onChoose: (choice: { days?: string; key?: string | undefined }) => void;
}) {
  const { data: usage, error, refetch, isPending } = useQuery(usageQuery(Number(range)));
  const { data: keys } = useQuery(keysQuery);
  const keyName = keyNames(keys);
  const isWanted = (key: string | null) => keyId === undefined || (key ?? WEB_APP) === keyId;
  const days = usage?.days.filter(({ key_id }) => isWanted(key_id)) ?? [];
  const sum = sumCounts(days);
  const choices = perKey(usage?.days ?? []).map(({ keyId: key }) => ({
    value: key ?? WEB_APP,
    label: keyName(key),
  }));
  // A key that was not used in these days can still be in the page's address.
  if (keyId && !choices.some(({ value }) => value === keyId))
    choices.push({ value: keyId, label: keyName(keyId === WEB_APP ? null : keyId) });

  const download = () =>
    saveFile(`mailvet-usage-${usage?.from}-to-${usage?.to}.csv`, "text/csv", usageCsv(days, keyName));

  return (
    <section aria-labelledby="usage">
      <Group justify="space-between" align="flex-end" mb="sm" gap="sm">
        <Title order={2} size="h4" id="usage">
          Usage
        </Title>
        <Group gap="sm" align="flex-end">
          <SegmentedControl
            aria-label="Days to show"
            data={RANGES.map((days) => ({ value: days, label: `${days} days` }))}
            value={range}
            onChange={(chosen) => onChoose({ days: chosen })}
          />
          <Select
            aria-label="Key to show"
            allowDeselect={false}
            w={190}
            flex={{ base: "1 1 150px", sm: "none" }}
            data={[{ value: ALL_KEYS, label: "All keys" }, ...choices]}
            value={keyId ?? ALL_KEYS}
            onChange={(chosen) => onChoose({ key: chosen === ALL_KEYS ? undefined : (chosen ?? undefined) })}
          />
          <Button variant="default" onClick={download} disabled={days.length === 0}>
            Download CSV
          </Button>
        </Group>
      </Group>
      {isPending ? (
        <Loading />
      ) : error ? (
        <ErrorAlert error={error} onRetry={() => void refetch()} />
      ) : days.length === 0 ? (
        <EmptyState
          title={`Nothing was checked in these ${range} days`}
          action={
            <Button renderRoot={(props) => <Link {...props} to="/validate" />} variant="default">
              Check an address
            </Button>
          }
        >
          Each address that gets a verdict is counted here, by day and by key.
        </EmptyState>
      ) : (
        <Stack gap="lg">
          <Paper withBorder p={{ base: "md", sm: "lg" }}>
            <Text size="sm" c="dimmed" mb="sm" role="status">
              {plural(checked(sum), "address", "addresses")} checked for {plural(sum.credits_used, "credit")}
            </Text>
            <VerdictsPerDay days={perDay({ from: usage.from, to: usage.to, days })} />
          </Paper>
          <Paper withBorder p={{ base: "md", sm: "lg" }}>
            <Title order={3} size="h5" mb="xs" id="by-key">
              By key
            </Title>
            <UsageByKey days={days} keyName={keyName} />
          </Paper>
        </Stack>
      )}
    </section>
  );
}
