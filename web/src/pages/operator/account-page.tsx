/** One account: facts, actions, plan and credits, recent jobs, keys and ledger. */

import type { ApiKey, LedgerEntry, OperatorAccount } from "@mailvet/contract";
import { Alert, Anchor, Badge, Code, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading, TableLoading } from "../../components/loading.tsx";
import { isMissing, MissingItem } from "../../components/missing-item.tsx";
import { formatNumber } from "../../components/number-format.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { Section } from "../../components/section.tsx";
import { Stat, StatGrid } from "../../components/stat.tsx";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
import { formatDay, Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { signed } from "../usage/ledger-entry.tsx";
import { AccountActions } from "./account-actions.tsx";
import { AccountStateBadge } from "./account-state.tsx";
import { GrantForm } from "./grant-form.tsx";
import { messages } from "./messages.tsx";
import { OperatorJobTable } from "./operator-job-table.tsx";
import { OperatorOnly } from "./operator-only.tsx";
import { allJobsQuery, keysOfQuery, ledgerOfQuery, oneAccountQuery } from "./operator-queries.ts";
import { PlanForm } from "./plan-form.tsx";

const texts = messages.account;
const JOBS_SHOWN = 5;

export function Page() {
  return (
    <OperatorOnly title={texts.title}>
      <AccountDetails />
    </OperatorOnly>
  );
}

function AccountDetails() {
  const { accountId = "" } = useParams({ strict: false });
  const { data: account, error, refetch } = useQuery(oneAccountQuery(accountId));
  return (
    <>
      <Anchor component={Link} to="/operator/accounts" size="sm" display="inline-block" mb="sm">
        {texts.back}
      </Anchor>
      {isMissing(error) ? (
        <MissingItem texts={texts.notFound} to="/operator/accounts" />
      ) : (
        <>
          <PageHeader title={account?.email ?? texts.title}>
            {account && <AccountSummary account={account} />}
          </PageHeader>
          {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
          {!account && !error && <Loading lines={6} />}
          {account && <AccountSections account={account} />}
        </>
      )}
    </>
  );
}

function AccountSummary({ account }: { account: OperatorAccount }) {
  return (
    <Group gap="xs" component="span">
      <AccountStateBadge state={account.state} />
      {account.is_operator && (
        <Badge size="sm" color="violet">
          {common.operator}
        </Badge>
      )}
      <span>{texts.created(<Timestamp at={account.created_at} />)}</span>
    </Group>
  );
}

function AccountSections({ account }: { account: OperatorAccount }) {
  const { credits } = account;
  return (
    <Stack gap="lg">
      {account.suspended_at && (
        <Alert color="red" variant="light" title={texts.suspendedTitle}>
          {texts.suspended(<Timestamp at={account.suspended_at} isExact />, account.suspended_reason ?? "")}
        </Alert>
      )}
      <StatGrid>
        <Stat isSmall name={messages.accounts.plan} value={common.plans[account.plan]} />
        <Stat isSmall name={messages.accounts.credits} value={formatNumber(credits.balance)}>
          {common.reservedForJobs(credits.reserved)}
        </Stat>
        <Stat isSmall name={texts.used} value={formatNumber(account.credits_used_30d)}>
          {texts.usedHint}
        </Stat>
        <Stat
          isSmall
          name={messages.accounts.lastSeen}
          value={account.last_seen_at ? formatDay(account.last_seen_at) : common.none}
        >
          {texts.lastSeenHint}
        </Stat>
      </StatGrid>
      <Section title={texts.actions}>
        <AccountActions account={account} />
      </Section>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Section title={texts.planTitle}>
          <PlanForm key={account.plan} account={account} />
        </Section>
        <Section title={texts.creditsTitle}>
          <GrantForm account={account} />
        </Section>
      </SimpleGrid>
      <RecentJobs accountId={account.id} />
      <Keys accountId={account.id} />
      <Ledger accountId={account.id} />
    </Stack>
  );
}

function RecentJobs({ accountId }: { accountId: string }) {
  const { data, error } = useQuery(allJobsQuery({ accountId, limit: JOBS_SHOWN }));
  return (
    <Section
      title={texts.jobs}
      isBare
      actions={
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/operator/jobs" search={{ account: accountId }} />}
        >
          {texts.allJobs}
        </Anchor>
      }
    >
      {error && <ErrorAlert error={error} />}
      {!data && !error && <TableLoading rows={2} />}
      {data?.length === 0 && <Text c="dimmed">{texts.noJobs}</Text>}
      {data && data.length > 0 && <OperatorJobTable jobs={data} withAccount={false} />}
    </Section>
  );
}

function Keys({ accountId }: { accountId: string }) {
  const { data, error } = useQuery(keysOfQuery(accountId));
  return (
    <Section title={texts.keys} isBare>
      {error && <ErrorAlert error={error} />}
      {!data && !error && <TableLoading rows={2} />}
      {data?.length === 0 && <Text c="dimmed">{texts.noKeys}</Text>}
      {data && data.length > 0 && (
        <DataTable label={texts.keys} rows={data} rowKey={({ id }) => id} columns={KEY_COLUMNS} />
      )}
    </Section>
  );
}

const KEY_COLUMNS: readonly Column<ApiKey>[] = [
  { name: texts.keyName, width: "36%", cell: ({ name }) => name },
  { name: texts.keyPrefix, cell: ({ prefix }) => <Code>{texts.prefix(prefix)}</Code> },
  { name: texts.keyLastUsed, cell: ({ last_used_at }) => <Timestamp at={last_used_at} /> },
  { name: texts.keyState, cell: ({ revoked_at }) => (revoked_at ? texts.revoked : texts.active) },
];

function Ledger({ accountId }: { accountId: string }) {
  const { data, error } = useQuery(ledgerOfQuery(accountId));
  return (
    <Section title={texts.ledger} isBare>
      {error && <ErrorAlert error={error} />}
      {!data && !error && <TableLoading rows={2} />}
      {data?.ledger.length === 0 && <Text c="dimmed">{texts.noLedger}</Text>}
      {data && data.ledger.length > 0 && (
        <DataTable
          label={texts.ledger}
          rows={data.ledger}
          rowKey={({ id }) => String(id)}
          columns={LEDGER_COLUMNS}
        />
      )}
    </Section>
  );
}

const LEDGER_COLUMNS: readonly Column<LedgerEntry>[] = [
  {
    name: texts.reference,
    width: "40%",
    cell: ({ kind, reference }) => (
      <span title={reference}>
        {texts.kinds[kind]}{" "}
        <Text span inherit c="dimmed" fw={400}>
          {reference}
        </Text>
      </span>
    ),
  },
  { name: texts.at, cell: ({ created_at }) => <Timestamp at={created_at} /> },
  { name: texts.change, cell: ({ amount }) => (amount === 0 ? common.none : signed(amount)), isNumber: true },
  { name: texts.balanceAfter, cell: (entry) => formatNumber(entry.balance_after), isNumber: true },
];
