/** One account: facts, actions, plan and credits, recent jobs, keys and ledger. */

import type { ApiKey, LedgerEntry, OperatorAccount } from "@mailvet/contract";
import { Alert, Anchor, Badge, Box, Group, SimpleGrid, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { formatNumber } from "../../components/number-format.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { Section } from "../../components/section.tsx";
import { Stat, StatGrid } from "../../components/stat.tsx";
import { TableHead } from "../../components/table-head.tsx";
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
      <Anchor component={Link} to="/operator/accounts" size="sm">
        {texts.back}
      </Anchor>
      <PageHeader title={account?.email ?? texts.title}>
        {account && (
          <Group gap="xs" component="span">
            <AccountStateBadge state={account.state} />
            {account.is_operator && (
              <Badge size="sm" color="violet">
                {common.operator}
              </Badge>
            )}
            <span>{texts.created(<Timestamp at={account.created_at} />)}</span>
          </Group>
        )}
      </PageHeader>
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!account && !error && <Loading lines={6} />}
      {account && <AccountSections account={account} />}
    </>
  );
}

function AccountSections({ account }: { account: OperatorAccount }) {
  const { credits } = account;
  return (
    <Stack gap="lg">
      {account.suspended_at && (
        <Alert color="red" variant="light" title={texts.suspendedTitle}>
          {texts.suspended(<Timestamp at={account.suspended_at} />, account.suspended_reason ?? "")}
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
      {!data && !error && <Loading lines={2} />}
      {data?.length === 0 && <Text c="dimmed">{texts.noJobs}</Text>}
      {data && data.length > 0 && <OperatorJobTable jobs={data} withAccount={false} />}
    </Section>
  );
}

function Keys({ accountId }: { accountId: string }) {
  const { data, error } = useQuery(keysOfQuery(accountId));
  return (
    <Section title={texts.keys}>
      {error && <ErrorAlert error={error} />}
      {!data && !error && <Loading lines={2} />}
      {data?.length === 0 && <Text c="dimmed">{texts.noKeys}</Text>}
      {data && data.length > 0 && (
        <Table className="stacks" aria-label={texts.keys} verticalSpacing={6}>
          <TableHead columns={[texts.keyName, texts.keyPrefix, texts.keyLastUsed, texts.keyState]} />
          <Table.Tbody>
            {data.map((key) => (
              <KeyRow key={key.id} apiKey={key} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}

function KeyRow({ apiKey }: { apiKey: ApiKey }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} className="breaks">
        {apiKey.name}
      </Table.Th>
      <Table.Td data-name={texts.keyPrefix} ff="monospace">
        {texts.prefix(apiKey.prefix)}
      </Table.Td>
      <Table.Td data-name={texts.keyLastUsed}>
        <Timestamp at={apiKey.last_used_at} />
      </Table.Td>
      <Table.Td data-name={texts.keyState}>{apiKey.revoked_at ? texts.revoked : texts.active}</Table.Td>
    </Table.Tr>
  );
}

function Ledger({ accountId }: { accountId: string }) {
  const { data, error } = useQuery(ledgerOfQuery(accountId));
  return (
    <Section title={texts.ledger}>
      {error && <ErrorAlert error={error} />}
      {!data && !error && <Loading lines={2} />}
      {data?.ledger.length === 0 && <Text c="dimmed">{texts.noLedger}</Text>}
      {data && data.ledger.length > 0 && (
        <Table className="stacks" aria-label={texts.ledger} verticalSpacing={6}>
          <TableHead columns={[texts.reference, texts.at]} numbers={[texts.change, texts.balanceAfter]} />
          <Table.Tbody>
            {data.ledger.map((entry) => (
              <LedgerRow key={entry.id} entry={entry} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}

function LedgerRow({ entry }: { entry: LedgerEntry }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} className="breaks">
        <Box ta="left">
          {texts.kinds[entry.kind]}
          <Text size="xs" c="dimmed">
            {entry.reference}
          </Text>
        </Box>
      </Table.Th>
      <Table.Td data-name={texts.at}>
        <Timestamp at={entry.created_at} />
      </Table.Td>
      <Table.Td data-name={texts.change} ta="right" className="tabular">
        {entry.amount === 0 ? common.none : signed(entry.amount)}
      </Table.Td>
      <Table.Td data-name={texts.balanceAfter} ta="right" className="tabular">
        {formatNumber(entry.balance_after)}
      </Table.Td>
    </Table.Tr>
  );
}
