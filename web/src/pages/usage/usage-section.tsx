/** Usage per day and per key over a range of days. */

import type { ApiKey, Usage } from "@mailvet/contract";
import { Button, Group, NativeSelect, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { BlockLoading } from "../../components/loading.tsx";
import { keysQuery } from "../keys/key-queries.ts";
import { messages } from "./messages.tsx";
import { RangeControl } from "./range-control.tsx";

import { UsageByKey } from "./usage-by-key.tsx";
import { saveFile, usageCsv } from "./usage-csv.ts";
import { checked, halvesOf, perDay, perKey, sumCounts } from "./usage-days.ts";
import { usageQuery } from "./usage-queries.ts";
import { VerdictsPerDay } from "./verdicts-per-day.tsx";

const ALL_KEYS = "all";
const WEB_APP = "web";
/** About the height of the chart and the table, without a scroll bar. */
const CONTENT_PX = 480;
const NO_USAGE: Usage = { from: "", to: "", days: [] };

export function UsageSection({
  range,
  keyId,
  onChoose,
}: {
  range: number;
  /** An API key, "web" for the web app, undefined for all. */
  keyId: string | undefined;
  onChoose: (choice: { days?: string; key?: string | undefined }) => void;
}) {
  const { data: usage, error, refetch, isPending } = useQuery(usageQuery(range));
  const { data: keys } = useQuery(keysQuery);
  const keyName = keyNames(keys);
  const isSelected = (key: string | null) => keyId === undefined || (key ?? WEB_APP) === keyId;
  const { now, before } = usage ? halvesOf(usage) : { now: NO_USAGE, before: NO_USAGE };
  const selected = (period: Usage) => ({
    ...period,
    days: period.days.filter(({ key_id }) => isSelected(key_id)),
  });
  const { days } = selected(now);
  const sum = sumCounts(days);
  const choices = perKey(now.days).map(({ keyId: key }) => ({
    value: key ?? WEB_APP,
    label: keyName(key),
  }));
  // The key in the URL may be unused in this range.
  if (keyId && !choices.some(({ value }) => value === keyId))
    choices.push({ value: keyId, label: keyName(keyId === WEB_APP ? null : keyId) });

  const download = () =>
    saveFile(`mailvet-usage-${now.from}-to-${now.to}.csv`, "text/csv", usageCsv(days, keyName));

  return (
    <section aria-labelledby="usage">
      <Group justify="space-between" mb="sm" gap="sm">
        <Title order={2} size="h4" id="usage">
          {messages.usage.title}
        </Title>
        <Group gap="sm">
          <RangeControl days={range} onChange={(chosen) => onChoose({ days: chosen })} />
          <NativeSelect
            aria-label={messages.usage.key}
            w={190}
            flex={{ base: "1 1 150px", sm: "none" }}
            data={[{ value: ALL_KEYS, label: messages.usage.allKeys }, ...choices]}
            value={keyId ?? ALL_KEYS}
            onChange={({ currentTarget: { value } }) =>
              onChoose({ key: value === ALL_KEYS ? undefined : value })
            }
          />
          <Button variant="default" onClick={download} disabled={days.length === 0}>
            {messages.usage.download}
          </Button>
        </Group>
      </Group>
      {isPending ? (
        <BlockLoading height={CONTENT_PX} />
      ) : error ? (
        <ErrorAlert error={error} onRetry={() => void refetch()} />
      ) : days.length === 0 ? (
        <EmptyState
          title={messages.usage.none(range)}
          mih={CONTENT_PX}
          action={
            <Button renderRoot={(props) => <Link {...props} to="/validate" />} variant="default">
              {messages.usage.checkAddress}
            </Button>
          }
        >
          {messages.usage.noneText}
        </EmptyState>
      ) : (
        <Stack gap="lg">
          <Paper withBorder p={{ base: "md", sm: "lg" }}>
            <Text size="sm" c="dimmed" mb="sm" role="status">
              {messages.usage.total(checked(sum), sum.credits_used)}
            </Text>
            <VerdictsPerDay days={perDay(selected(now))} before={perDay(selected(before))} />
          </Paper>
          <section aria-labelledby="by-key">
            <Title order={3} size="h5" mb="xs" id="by-key">
              {messages.usage.byKey}
            </Title>
            <UsageByKey days={days} keyName={keyName} />
          </section>
        </Stack>
      )}
    </section>
  );
}

/** Names of keys by id; null is the web app. Keys revoked long ago have no name any more. */
export function keyNames(keys: readonly ApiKey[] | undefined): (keyId: string | null) => string {
  const names = new Map(
    keys?.map(({ id, name, revoked_at }) => [id, revoked_at ? messages.usage.revokedKey(name) : name]),
  );
  return (keyId) => {
    if (keyId === null) return messages.usage.webApp;
    return names.get(keyId) ?? messages.usage.unnamedKey(keyId.slice(0, 8));
  };
}
