/** Verdict counts of a job, as a ring and as a table. */
import type { Job, Status } from "@mailvet/contract";
import { Paper, RingProgress, Stack, Table, Text, Title } from "@mantine/core";
import { formatNumber, formatPercent } from "../../components/number-format.ts";
import { TableHead } from "../../components/table-head.tsx";
import { common } from "../../messages.ts";
import { STATUS_COLORS, STATUSES, statusColor } from "../../theme.ts";
import { verdictCounts } from "../bulk/verdict-bar.tsx";
import classes from "./job.module.css";
import { messages } from "./messages.tsx";

export function VerdictBreakdown({ job }: { job: Job }) {
  const counts = verdictCounts(job);
  const total = job.processed;
  return (
    <Paper
      withBorder
      p={{ base: "md", sm: "lg" }}
      component="section"
      aria-labelledby="verdicts-title"
      h="100%"
      display="flex"
      style={{ flexDirection: "column" }}
    >
      <Title order={2} size="h4" id="verdicts-title" mb="md">
        {common.verdicts}
      </Title>
      <Stack align="center" justify="center" gap="lg" flex={1}>
        <VerdictRing counts={counts} total={total} />
        <Table verticalSpacing={6} withRowBorders={false} maw={320} aria-labelledby="verdicts-title">
          <TableHead
            columns={[common.verdict, messages.verdicts.emails, messages.verdicts.share]}
            className="visually-hidden"
          />
          <Table.Tbody>
            {STATUSES.map((status) => (
              <Table.Tr key={status}>
                <Table.Th scope="row" fw={400}>
                  <span
                    className={classes.dot}
                    style={{ background: statusColor(status) }}
                    aria-hidden="true"
                  />
                  {common.status[status]}
                </Table.Th>
                <Table.Td ta="right" className="tabular" fw={500}>
                  {formatNumber(counts[status])}
                </Table.Td>
                <Table.Td ta="right" className="tabular">
                  <Text span size="sm" c="dimmed">
                    {total === 0 ? common.none : formatPercent(counts[status] / total, 1)}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </Paper>
  );
}

/** Hidden from screen readers: the table contains the same numbers. */
function VerdictRing({ counts, total }: { counts: Readonly<Record<Status, number>>; total: number }) {
  const sections = STATUSES.filter((status) => counts[status] > 0).map((status) => ({
    value: (counts[status] / total) * 100,
    color: STATUS_COLORS[status],
  }));
  return (
    <RingProgress
      size={210}
      thickness={24}
      aria-hidden="true"
      sections={sections}
      label={
        <div className={classes.ringLabel}>
          <Text fz={30} fw={600} lh={1.1} className="tabular">
            {total === 0 ? common.none : formatPercent(counts.valid / total)}
          </Text>
          <Text size="sm" c="dimmed">
            {total === 0 ? messages.verdicts.none : messages.verdicts.valid}
          </Text>
        </div>
      }
    />
  );
}
