/** Verdicts per day as a chart with totals as the legend, and as a table. */

import { Box, Button, Collapse, ColorSwatch, Group, Stack, Table, Text } from "@mantine/core";
import { useDisclosure, useId } from "@mantine/hooks";
import { formatNumber, formatPercent } from "../../components/number-format.ts";
import { TableHead } from "../../components/table-head.tsx";
import { common } from "../../messages.ts";
import { STATUSES, statusFill } from "../../theme.ts";
import { messages } from "./messages.tsx";
import { checked, type DayCounts, dayName, sumCounts, type UsageCounts } from "./usage-days.ts";
import { VerdictsChart } from "./verdicts-chart.tsx";

export function VerdictsPerDay({ days }: { days: DayCounts[] }) {
  const [isOpen, table] = useDisclosure();
  const tableId = useId();
  const sum = sumCounts(days);
  const counts = STATUSES.map((status) => messages.chart.count(sum[status], status)).join(", ");
  return (
    <Stack gap="sm">
      <VerdictTotals counts={sum} />
      <Box role="img" aria-label={messages.chart.label(days.length, checked(sum), counts)}>
        <VerdictsChart days={days} />
      </Box>
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
        <DayTable days={days} />
      </Collapse>
    </Stack>
  );
}

/** Legend with totals. */
function VerdictTotals({ counts }: { counts: UsageCounts }) {
  const all = checked(counts);
  return (
    <Group gap="lg" style={{ rowGap: 6 }}>
      {STATUSES.map((status) => (
        <Group key={status} gap={8} wrap="nowrap">
          <ColorSwatch size={12} withShadow={false} color={statusFill(status)} />
          <Text size="sm" className="tabular">
            {messages.chart.count(counts[status], status)}
            {all > 0 && (
              <Text span c="dimmed" inherit>
                {" "}
                ({formatPercent(counts[status] / all)})
              </Text>
            )}
          </Text>
        </Group>
      ))}
    </Group>
  );
}

function DayTable({ days }: { days: DayCounts[] }) {
  const used = days.filter((day) => checked(day) > 0).reverse();
  if (used.length === 0) return <Text size="sm">{messages.chart.noneInRange}</Text>;
  return (
    <Table.ScrollContainer
      minWidth={420}
      mah={360}
      type="native"
      tabIndex={0}
      role="region"
      aria-label={messages.chart.table}
    >
      <Table className="tabular" stickyHeader aria-label={messages.chart.table}>
        <Table.Caption>{messages.chart.caption}</Table.Caption>
        <TableHead
          columns={[messages.chart.day]}
          numbers={[...STATUSES.map((status) => common.status[status]), messages.usage.credits]}
        />
        <Table.Tbody>
          {used.map((day) => (
            <Table.Tr key={day.date}>
              <Table.Th scope="row" fw={400} style={{ whiteSpace: "nowrap" }}>
                {dayName(day.date)}
              </Table.Th>
              {STATUSES.map((status) => (
                <Table.Td key={status} ta="right">
                  {formatNumber(day[status])}
                </Table.Td>
              ))}
              <Table.Td ta="right">{formatNumber(day.credits_used)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
