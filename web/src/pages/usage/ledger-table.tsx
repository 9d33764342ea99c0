/** Every change of the credits, newest first: what happened, what for, and what was left. */
import type { LedgerEntry } from "@mailvet/contract";
import { Button, Group, Paper, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { EmptyState } from "../../shared/empty-state.tsx";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { formatNumber } from "../../shared/number-format.ts";
import { Pager } from "../../shared/pager.tsx";
import { Timestamp } from "../../shared/timestamp.tsx";
import { Change, entryWords, Reference, signed } from "./ledger-entry.tsx";
import { jobNamesQuery, LEDGER_PAGE_SIZE, ledgerQuery } from "./usage-queries.ts";

export function LedgerTable({ page, onPage }: { page: number; onPage: (page: number) => void }) {
  const { data, error, refetch, isPending, isPlaceholderData } = useQuery(ledgerQuery(page));
  const { data: jobNames } = useQuery(jobNamesQuery);
  if (isPending) return <Loading />;
  if (error) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  if (data.total === 0)
    return <EmptyState title="No entries yet">Credits you get or spend stand here.</EmptyState>;
  if (data.ledger.length === 0)
    return (
      <EmptyState
        title="The ledger is not that long"
        action={
          <Button variant="default" onClick={() => onPage(1)}>
            To its first page
          </Button>
        }
      />
    );
  return (
    <Stack gap="sm">
      <EntryTable entries={data.ledger} jobNames={jobNames} isStale={isPlaceholderData} />
      <EntryList entries={data.ledger} jobNames={jobNames} />
      <Pager page={page} pageSize={LEDGER_PAGE_SIZE} total={data.total} onPage={onPage} />
    </Stack>
  );
}

type Entries = { entries: LedgerEntry[]; jobNames: ReadonlyMap<string, string> | undefined };

function EntryTable({ entries, jobNames, isStale }: Entries & { isStale: boolean }) {
  return (
    <Paper
      withBorder
      component={Table.ScrollContainer}
      minWidth={640}
      type="native"
      visibleFrom="sm"
      tabIndex={0}
      role="region"
      aria-label="Ledger entries"
      aria-busy={isStale}
    >
      <Table className="tabular" highlightOnHover aria-label="Ledger">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">When</Table.Th>
            <Table.Th scope="col">What</Table.Th>
            <Table.Th scope="col">For</Table.Th>
            <Table.Th scope="col" ta="right">
              Free to spend
            </Table.Th>
            <Table.Th scope="col" ta="right">
              Held
            </Table.Th>
            <Table.Th scope="col" ta="right">
              Balance
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <Table.Tr key={entry.id}>
              <Table.Td style={{ whiteSpace: "nowrap" }}>
                <Timestamp at={entry.created_at} />
              </Table.Td>
              <Table.Td>{entryWords(entry)}</Table.Td>
              <Table.Td className="breaks">
                <Reference entry={entry} jobNames={jobNames} />
              </Table.Td>
              <Table.Td ta="right">
                <Change by={entry.amount} />
              </Table.Td>
              <Table.Td ta="right">
                <Change by={entry.reserved_change} />
              </Table.Td>
              <Table.Td ta="right">{formatNumber(entry.balance_after)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

/** The same on a narrow screen, where a table would have to be pushed to and fro. */
function EntryList({ entries, jobNames }: Entries) {
  return (
    <Paper withBorder component="ul" className="plain-list ruled" hiddenFrom="sm" aria-label="Ledger">
      {entries.map((entry) => (
        <Group key={entry.id} component="li" justify="space-between" wrap="nowrap" px="sm" py="xs">
          <Stack gap={0} miw={0}>
            <Text size="sm" fw={600}>
              {entryWords(entry)}
            </Text>
            <Text size="sm" component="div" className="breaks">
              <Reference entry={entry} jobNames={jobNames} />
            </Text>
            <Text size="xs" c="dimmed">
              <Timestamp at={entry.created_at} />
            </Text>
          </Stack>
          <Stack gap={0} ta="right" className="tabular" style={{ flexShrink: 0 }}>
            {entry.amount !== 0 && (
              <Text size="sm" fw={600}>
                {signed(entry.amount)}
              </Text>
            )}
            {entry.reserved_change !== 0 && <Text size="xs">{signed(entry.reserved_change)} held</Text>}
            <Text size="xs" c="dimmed">
              {formatNumber(entry.balance_after)} left
            </Text>
          </Stack>
        </Group>
      ))}
    </Paper>
  );
}
