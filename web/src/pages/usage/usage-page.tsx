/** Credit balance, usage, bounce feedback and ledger. */

import { Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { KeyFigure, KeyFigures } from "../../components/key-figures.tsx";
import { formatNumber } from "../../components/number-format.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { parsePage } from "../../components/pager.tsx";
import { common, shellMessages } from "../../messages.ts";
import { isTestMode } from "../../mode.ts";
import { accountQuery } from "../../queries.ts";
import { FeedbackSection } from "./feedback-section.tsx";
import { LedgerTable } from "./ledger-table.tsx";
import { messages } from "./messages.tsx";
import { parseRange } from "./range-control.tsx";
import { UsageSection } from "./usage-section.tsx";

export function Page() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const range = parseRange(search.days);
  const page = parsePage(search.page);
  const look = (change: Record<string, string | undefined>) =>
    void navigate({ to: "/usage", search: { ...search, ...change }, replace: true, resetScroll: false });

  return (
    <>
      <PageHeader title={messages.title}>
        {isTestMode ? shellMessages.testMode.figures : messages.intro}
      </PageHeader>
      <Stack gap="xl">
        <Balance />
        <UsageSection range={range} keyId={search.key} onChoose={look} />
        <FeedbackSection />
        <section aria-labelledby="ledger">
          <Title order={2} size="h4" id="ledger">
            {messages.ledger.title}
          </Title>
          <Text size="sm" c="dimmed" mb="sm">
            {messages.ledger.intro}
          </Text>
          <LedgerTable page={page} onPage={(wanted) => look({ page: String(wanted) })} />
        </section>
      </Stack>
    </>
  );
}

/** While it loads, with the height that it will have. */
function Balance() {
  const { data, error, refetch } = useQuery(accountQuery);
  if (error) return <ErrorAlert error={error} onRetry={() => void refetch()} />;
  const { balance, reserved } = data?.credits ?? { balance: undefined, reserved: undefined };
  const plan = data ? messages.balance.plan(common.plans[data.plan]) : NOT_YET;
  return (
    <KeyFigures>
      <KeyFigure
        name={messages.balance.available}
        value={balance === undefined ? NOT_YET : formatNumber(balance)}
        isMain
      >
        {balance === 0 ? messages.balance.outOfCredits : plan}
      </KeyFigure>
      <KeyFigure
        name={messages.balance.reserved}
        value={reserved === undefined ? NOT_YET : formatNumber(reserved)}
      >
        {messages.balance.reservedHint}
      </KeyFigure>
    </KeyFigures>
  );
}

const NOT_YET = "\u00a0";
