/** Ledger of the account, newest entry first. */

import type { LedgerEntry } from "@mailvet/contract";
import { Button, Group, Paper, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { formatNumber } from "../../components/number-format.ts";
import { Pager } from "../../components/pager.tsx";
import { TableHead } from "../../components/table-head.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { Change, Reference, signed } from "./ledger-entry.tsx";
import { messages } from "./messages.tsx";
import { jobNamesQuery, LEDGER_PAGE_SIZE, ledgerQuery } from "./usage-queries.ts";

export function LedgerTable({ page, onPage }: { page: number; onPage: (page: number) => void }) {
  const { data, error, refetch, isPending, isPlaceholderData } = useQuery(ledgerQuery(page));
  const { data: jobNames } = useQuery(jobNamesQuery);
  if (isPending) return <Loading />;
  if (error) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  if (data.total === 0)
    return <EmptyState title={messages.ledger.none}>{messages.ledger.noneText}</EmptyState>;
  if (data.ledger.length === 0)
    return (
      <EmptyState
        title={messages.ledger.noSuchPage}
        action={
          <Button variant="default" onClick={() => onPage(1)}>
            {messages.ledger.firstPage}
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
      aria-label={messages.ledger.entries}
      aria-busy={isStale}
    >
      <Table className="tabular" highlightOnHover aria-label={messages.ledger.title}>
        <TableHead
          columns={[messages.ledger.when, messages.ledger.what, messages.ledger.reference]}
          numbers={[messages.ledger.available, messages.ledger.reserved, messages.ledger.balance]}
        />
        <Table.Tbody>
          {entries.map((entry) => (
            <Table.Tr key={entry.id}>
              <Table.Td style={{ whiteSpace: "nowrap" }}>
                <Timestamp at={entry.created_at} />
              </Table.Td>
              <Table.Td>{messages.ledger.kinds[entry.kind]}</Table.Td>
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

/** The same on a narrow screen, where a table would scroll sideways. */
function EntryList({ entries, jobNames }: Entries) {
  return (
    <Paper
      withBorder
      component="ul"
      className="plain-list ruled"
      hiddenFrom="sm"
      aria-label={messages.ledger.title}
    >
      {entries.map((entry) => (
        <Group key={entry.id} component="li" justify="space-between" wrap="nowrap" px="sm" py="xs">
          <Stack gap={0} miw={0}>
            <Text size="sm" fw={600}>
              {messages.ledger.kinds[entry.kind]}
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
            {entry.reserved_change !== 0 && (
              <Text size="xs">{messages.ledger.reservedChange(signed(entry.reserved_change))}</Text>
            )}
            <Text size="xs" c="dimmed">
              {messages.ledger.balanceAfter(entry.balance_after)}
            </Text>
          </Stack>
        </Group>
      ))}
    </Paper>
  );
}
