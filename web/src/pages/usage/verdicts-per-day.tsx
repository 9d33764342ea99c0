/** Verdicts per day: a chart with its totals as the legend, and the same numbers as a table. */
import type { Status } from "@mailvet/contract";
import { Box, Button, Collapse, ColorSwatch, Group, Stack, Table, Text } from "@mantine/core";
import { useDisclosure, useId } from "@mantine/hooks";
import { formatNumber, formatPercent, plural } from "../../shared/number-format.ts";
import { STATUS_CHART_COLORS } from "../../theme.ts";
import { type Counts, checked, type DayCounts, dayName, sumCounts } from "./usage-days.ts";
import { VerdictsChart } from "./verdicts-chart.tsx";

const STATUSES = Object.keys(STATUS_CHART_COLORS) as Status[];

export function VerdictsPerDay({ days }: { days: DayCounts[] }) {
  const [isOpen, table] = useDisclosure();
  const tableId = useId();
  const sum = sumCounts(days);
  const spoken = STATUSES.map((status) => `${formatNumber(sum[status])} ${status}`).join(", ");
  return (
    <Stack gap="sm">
      <VerdictTotals counts={sum} />
      <Box
        role="img"
        aria-label={`Bar chart of the last ${days.length} days: ${plural(checked(sum), "address", "addresses")} checked, ${spoken}.`}
      >
        <VerdictsChart days={days} />
      </Box>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          Days are counted in UTC.
        </Text>
        <Button
          variant="default"
          size="xs"
          h={36}
          onClick={table.toggle}
          aria-expanded={isOpen}
          aria-controls={tableId}
        >
          {isOpen ? "Hide the table" : "Show as a table"}
        </Button>
      </Group>
      <Collapse expanded={isOpen} id={tableId}>
        <DayTable days={days} />
      </Collapse>
    </Stack>
  );
}

/** The legend, with what it counts. */
export function VerdictTotals({ counts }: { counts: Counts }) {
  const all = checked(counts);
  return (
    <Group gap="lg" style={{ rowGap: 6 }}>
      {STATUSES.map((status) => (
        <Group key={status} gap={8} wrap="nowrap">
          <ColorSwatch
            size={12}
            withShadow={false}
            color={`var(--mantine-color-${STATUS_CHART_COLORS[status].replace(".", "-")})`}
          />
          <Text size="sm" className="tabular">
            {formatNumber(counts[status])} {status}
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
  if (used.length === 0) return <Text size="sm">Nothing was checked on these days.</Text>;
  return (
    <Table.ScrollContainer
      minWidth={420}
      mah={360}
      type="native"
      tabIndex={0}
      role="region"
      aria-label="Verdicts per day"
    >
      <Table className="tabular" stickyHeader aria-label="Verdicts per day">
        <Table.Caption>Days on which nothing was checked are left out.</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Day</Table.Th>
            {STATUSES.map((status) => (
              <Table.Th key={status} scope="col" ta="right" tt="capitalize">
                {status}
              </Table.Th>
            ))}
            <Table.Th scope="col" ta="right">
              Credits
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
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
