/** The verdicts so far: how many of each, as a ring and as a list. */
import type { Job, Status } from "@mailvet/contract";
import { Paper, Stack, Table, Text, Title } from "@mantine/core";
import { formatNumber, formatPercent } from "../../shared/number-format.ts";
import classes from "../bulk/bulk.module.css";
import { colorOf, verdictCounts } from "../bulk/verdict-bar.tsx";
import { VerdictRing } from "./verdict-ring.tsx";

const NAMES: readonly (readonly [Status, string])[] = [
  ["valid", "Valid"],
  ["risky", "Risky"],
  ["unknown", "Unknown"],
  ["invalid", "Invalid"],
];

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
        Verdicts
      </Title>
      <Stack align="center" justify="center" gap="lg" flex={1}>
        <VerdictRing counts={counts} total={total} order={NAMES.map(([status]) => status)} />
        <Table verticalSpacing={6} withRowBorders={false} maw={320} aria-labelledby="verdicts-title">
          <Table.Thead className="unseen">
            <Table.Tr>
              <Table.Th scope="col">Verdict</Table.Th>
              <Table.Th scope="col">Emails</Table.Th>
              <Table.Th scope="col">Share</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {NAMES.map(([status, name]) => (
              <Table.Tr key={status}>
                <Table.Th scope="row" fw={400}>
                  <span className={classes.dot} style={{ background: colorOf(status) }} aria-hidden="true" />
                  {name}
                </Table.Th>
                <Table.Td ta="right" className="tabular" fw={600}>
                  {formatNumber(counts[status])}
                </Table.Td>
                <Table.Td ta="right" className="tabular">
                  <Text span size="sm" c="dimmed">
                    {total === 0 ? "–" : formatPercent(counts[status] / total, 1)}
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
