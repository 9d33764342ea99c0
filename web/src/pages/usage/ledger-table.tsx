/** Every change of the credits, newest first: what happened, what for, and what was left. */
import type { LedgerEntry } from "@mailvet/contract";
import { Anchor, Button, Group, Paper, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { grouped } from "../../parts/counted.ts";
import { EmptyNote } from "../../parts/empty-note.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Pager } from "../../parts/pager.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { jobNamesQuery, LEDGER_PAGE_SIZE, ledgerQuery } from "./usage-queries.ts";

const KINDS: Record<LedgerEntry["kind"], string> = {
  grant: "Granted",
  reserve: "Held",
  settle: "Spent",
  release: "Given back",
  adjust: "Adjusted",
};

export function LedgerTable({ page, onPage }: { page: number; onPage: (page: number) => void }) {
  const { data, error, refetch, isPending, isPlaceholderData } = useQuery(ledgerQuery(page));
  const { data: jobNames } = useQuery(jobNamesQuery);
  if (isPending) return <Waiting />;
  if (error) return <FailureNote error={error} onRetry={() => void refetch()} />;
  if (data.total === 0)
    return <EmptyNote title="No entries yet">Credits you get or spend stand here.</EmptyNote>;
  if (data.ledger.length === 0)
    return (
      <EmptyNote
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

type Entries = { entries: LedgerEntry[]; jobNames: Map<string, string> | undefined };

function EntryTable({ entries, jobNames, isStale }: Entries & { isStale: boolean }) {
  return (
    <Paper
      withBorder
      component={Table.ScrollContainer}
      minWidth={600}
      type="native"
      visibleFrom="sm"
      tabIndex={0}
      role="region"
      aria-label="Ledger entries"
      aria-busy={isStale}
    >
      <Table className="tabular" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">When</Table.Th>
            <Table.Th scope="col">What</Table.Th>
            <Table.Th scope="col">For</Table.Th>
            <Table.Th scope="col" ta="right">
              Change
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
                <Moment at={entry.created_at} />
              </Table.Td>
              <Table.Td>{KINDS[entry.kind]}</Table.Td>
              <Table.Td className="breaks">
                <Reference text={entry.reference} jobName={jobNames?.get(entry.reference)} />
              </Table.Td>
              <Table.Td ta="right">
                <Change entry={entry} />
              </Table.Td>
              <Table.Td ta="right">{grouped(entry.balance_after)}</Table.Td>
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
    <Paper withBorder component="ul" className="plain-list ruled" hiddenFrom="sm">
      {entries.map((entry) => (
        <Group key={entry.id} component="li" justify="space-between" wrap="nowrap" px="sm" py="xs">
          <Stack gap={0} miw={0}>
            <Text size="sm" component="div" className="breaks">
              {KINDS[entry.kind]} ·{" "}
              <Reference text={entry.reference} jobName={jobNames?.get(entry.reference)} />
            </Text>
            <Text size="xs" c="dimmed">
              <Moment at={entry.created_at} />
            </Text>
          </Stack>
          <Stack gap={0} ta="right" className="tabular" style={{ flexShrink: 0 }}>
            <Text size="sm" component="div">
              <Change entry={entry} />
            </Text>
            <Text size="xs" c="dimmed">
              {grouped(entry.balance_after)} left
            </Text>
          </Stack>
        </Group>
      ))}
    </Paper>
  );
}

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** A job, a request, or words somebody wrote. */
function Reference({ text, jobName }: { text: string; jobName: string | undefined }) {
  if (jobName !== undefined)
    return (
      <Anchor
        size="sm"
        renderRoot={(props) => <Link {...props} to="/bulk/$jobId" params={{ jobId: text }} />}
      >
        {jobName}
      </Anchor>
    );
  if (!UUID.test(text)) return <>{text}</>;
  return (
    <Text span size="sm" c="dimmed" title={text}>
      Request {text.slice(0, 8)}
    </Text>
  );
}

/** Spending what was held leaves the balance as it is, so both changes are told. */
function Change({ entry: { amount, reserved_change } }: { entry: LedgerEntry }) {
  return (
    <>
      {signed(amount)}
      {reserved_change !== 0 && (
        <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
          {signed(reserved_change)} held
        </Text>
      )}
    </>
  );
}

function signed(amount: number): string {
  if (amount === 0) return "0";
  return `${amount > 0 ? "+" : "−"}${grouped(Math.abs(amount))}`;
}
