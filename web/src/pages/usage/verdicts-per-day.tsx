/** Verdicts per day as a chart with totals as the legend, compared with as many days before, and as a table. */

import { Button, Collapse, Group, Stack, Text } from "@mantine/core";
import { useDisclosure, useId } from "@mantine/hooks";
import { formatChange, formatCompact, formatNumber, formatPercent } from "../../components/number-format.ts";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
import { common } from "../../messages.ts";
import { STATUSES, statusFill } from "../../theme.ts";
import { BarChart, type ChartColumn, ChartLegend, type LegendItem } from "./bar-chart.tsx";
import { messages } from "./messages.tsx";
import { checked, type DayCounts, dayName, sumCounts } from "./usage-days.ts";

export function VerdictsPerDay({ days, before }: VerdictsPerDayProps) {
  const [isOpen, table] = useDisclosure();
  const tableId = useId();
  const sum = sumCounts(days);
  const hasBefore = checked(sumCounts(before)) > 0;
  const counts = STATUSES.map((status) => messages.chart.count(sum[status], status)).join(", ");
  return (
    <Stack gap="sm">
      <Totals days={days} before={before} />
      <BarChart
        label={messages.chart.label(days.length, checked(sum), counts)}
        columns={days.map((day, index) => columnOf(day, hasBefore ? before[index] : undefined))}
        isStacked
        formatTick={formatCompact}
      />
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {messages.chart.utc}
        </Text>
        <Button
          variant="default"
          size="xs"
          h={36}
          onClick={table.toggle}
          aria-expanded={isOpen}
          aria-controls={tableId}
        >
          {isOpen ? messages.chart.hideTable : messages.chart.showTable}
        </Button>
      </Group>
      <Collapse expanded={isOpen} id={tableId}>
        {isOpen && <DayTable days={days} before={before} />}
      </Collapse>
    </Stack>
  );
}

type VerdictsPerDayProps = {
  days: readonly DayCounts[];
  /** As many days before, in the same order. */
  before: readonly DayCounts[];
};

/** Legend with totals and their change. */
function Totals({ days, before }: VerdictsPerDayProps) {
  const sum = sumCounts(days);
  const sumBefore = sumCounts(before);
  const [all, allBefore] = [checked(sum), checked(sumBefore)];
  return (
    <ChartLegend
      items={[
        ...STATUSES.map((status) => ({
          name: messages.chart.count(sum[status], status),
          color: statusFill(status),
          detail:
            all > 0
              ? detailOf(sum[status] / all, allBefore > 0 ? sumBefore[status] / allBefore : undefined)
              : undefined,
        })),
        ...(allBefore > 0 ? [previous(before.length, allBefore, all)] : []),
      ]}
    />
  );
}

function previous(days: number, count: number, now: number): LegendItem {
  const detail = messages.chart.change(formatChange(now / count - 1));
  return { name: messages.chart.before(days, count), isLine: true, detail };
}

/** "73% (+4 points)": the share of the total, and by how much the share has changed. */
function detailOf(share: number, shareBefore = share): string {
  const points = Math.round(100 * (share - shareBefore));
  return `${formatPercent(share)}${points === 0 ? "" : ` (${messages.chart.points(points)})`}`;
}

function columnOf(day: DayCounts, before: DayCounts | undefined): ChartColumn {
  return {
    id: day.date,
    name: dayName(day.date),
    bars: STATUSES.map((status) => ({ id: status, value: day[status], color: statusFill(status) })),
    before: before && checked(before),
    tip: {
      title: dayName(day.date),
      lines: [
        ...STATUSES.map(
          (status) => [common.status[status], formatNumber(day[status]), statusFill(status)] as const,
        ),
        [messages.chart.total, formatNumber(checked(day))],
        ...(before ? [[dayName(before.date), formatNumber(checked(before))] as const] : []),
      ],
    },
  };
}

type TableRow = DayCounts & { before: DayCounts | undefined };

function DayTable({ days, before }: VerdictsPerDayProps) {
  const rows = days.map((day, index) => ({ ...day, before: before[index] })).reverse();
  const used = rows.filter((row) => checked(row) + (row.before ? checked(row.before) : 0) > 0);
  if (used.length === 0) return <Text size="sm">{messages.chart.noneInRange}</Text>;
  return (
    <>
      <DataTable
        label={messages.chart.table}
        rows={used}
        rowKey={({ date }) => date}
        columns={COLUMNS}
        isPlain
        isScrolled
      />
      <Text size="xs" c="dimmed" mt="xs">
        {messages.chart.caption}
      </Text>
    </>
  );
}

const COLUMNS: readonly Column<TableRow>[] = [
  { name: messages.chart.day, cell: ({ date }) => dayName(date), sortBy: ({ date }) => date, first: "desc" },
  ...STATUSES.map((status) => ({
    name: common.status[status],
    cell: (row: TableRow) => formatNumber(row[status]),
    sortBy: (row: TableRow) => row[status],
    first: "desc" as const,
    isNumber: true,
  })),
  { name: messages.chart.total, cell: (row) => formatNumber(checked(row)), sortBy: checked, isNumber: true },
  {
    name: messages.chart.totalBefore,
    cell: ({ before }) => (before ? formatNumber(checked(before)) : common.none),
    sortBy: ({ before }) => (before ? checked(before) : null),
    isNumber: true,
  },
  {
    name: messages.usage.credits,
    cell: ({ credits_used }) => formatNumber(credits_used),
    sortBy: ({ credits_used }) => credits_used,
    isNumber: true,
  },
];
