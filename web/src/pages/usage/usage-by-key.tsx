/** Usage per API key with its verdicts. */

import type { UsageDay } from "@mailvet/contract";
import { Progress } from "@mantine/core";
import { formatNumber } from "../../components/number-format.ts";
import { DataTable } from "../../components/table/data-table.tsx";
import { common } from "../../messages.ts";
import { STATUSES, statusFill } from "../../theme.ts";
import { messages } from "./messages.tsx";
import { checked, perKey, type UsageCounts } from "./usage-days.ts";

export function UsageByKey({
  days,
  keyName,
}: {
  days: UsageDay[];
  keyName: (keyId: string | null) => string;
}) {
  const keys = perKey(days).map((key) => ({ ...key, name: keyName(key.keyId) }));
  const most = Math.max(...keys.map(({ counts }) => checked(counts)));
  return (
    <DataTable
      label={messages.usage.byKey}
      rows={keys}
      rowKey={({ keyId }) => String(keyId)}
      columns={[
        {
          name: messages.usage.keyColumn,
          width: "30%",
          cell: ({ name }) => name,
          sortBy: ({ name }) => name,
        },
        { name: common.verdicts, cell: ({ counts }) => <VerdictShares counts={counts} most={most} /> },
        {
          name: messages.usage.checked,
          width: 110,
          cell: ({ counts }) => formatNumber(checked(counts)),
          sortBy: ({ counts }) => checked(counts),
          first: "desc",
          isNumber: true,
        },
        {
          name: messages.usage.credits,
          width: 110,
          cell: ({ counts }) => formatNumber(counts.credits_used),
          sortBy: ({ counts }) => counts.credits_used,
          first: "desc",
          isNumber: true,
        },
      ]}
    />
  );
}

/** A bar with the length of the key's share of the most used one. */
function VerdictShares({ counts, most }: { counts: UsageCounts; most: number }) {
  const text = STATUSES.map((status) => messages.chart.count(counts[status], status)).join(" · ");
  return (
    <Progress.Root size="lg" miw={90} role="img" aria-label={text} title={text}>
      {STATUSES.map((status) => (
        <Progress.Section
          key={status}
          value={(counts[status] / most) * 100}
          color={statusFill(status)}
          withAria={false}
        />
      ))}
    </Progress.Root>
  );
}
