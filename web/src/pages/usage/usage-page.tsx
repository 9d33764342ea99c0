/** Credits: what is left, what they were used for, and the ledger that adds up to the balance. */

import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { common } from "../../messages.ts";
import { accountQuery } from "../../queries.ts";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { formatNumber } from "../../shared/number-format.ts";
import { PageHeader } from "../../shared/page-header.tsx";
import { parsePage } from "../../shared/pager.tsx";
import { Stat, StatGrid } from "../../shared/stat.tsx";
import { FeedbackSection } from "./feedback-section.tsx";
import { LedgerTable } from "./ledger-table.tsx";
import { RANGES, UsageSection } from "./usage-section.tsx";

export function Page() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const range = RANGES.find((days) => days === search.days) ?? "30";
  const page = parsePage(search.page);
  const look = (change: Record<string, string | undefined>) =>
    void navigate({ to: "/usage", search: { ...search, ...change }, replace: true, resetScroll: false });

  return (
    <>
      <PageHeader title="Usage and credits">
        Every verdict costs one credit; a duplicate in a list, and whatever fails, costs nothing.
      </PageHeader>
      <Stack gap="xl">
        <Balance />
        <UsageSection range={range} keyId={search.key} onChoose={look} />
        <FeedbackSection />
        <section aria-labelledby="ledger">
          <Title order={2} size="h4" id="ledger">
            Ledger
          </Title>
          <Text size="sm" c="dimmed" mb="sm">
            Credits are held while the work goes on, and spent when there is a verdict. What was not needed
            returns.
          </Text>
          <LedgerTable page={page} onPage={(wanted) => look({ page: String(wanted) })} />
        </section>
      </Stack>
    </>
  );
}

function Balance() {
  const { data, error, refetch } = useQuery(accountQuery);
  if (error) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading lines={2} />;
  const { balance, reserved } = data.credits;
  return (
    <StatGrid cols={{ base: 1, xs: 2 }}>
      <Stat name="Free to spend" value={formatNumber(balance)}>
        {balance === 0
          ? "You are out of credits. Whoever runs this installation can give you more."
          : `On the plan “${common.plans[data.plan]}”.`}
      </Stat>
      <Stat name="Held" value={formatNumber(reserved)}>
        For work under way. What it does not need comes back.
      </Stat>
    </StatGrid>
  );
}
