/** Overview: what changed, what needs an action, verdicts per day, recent jobs, and first steps for a new account. */

import { Anchor, Button, Group, Stack, Title } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { BlockLoading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Section } from "../../components/section.tsx";
import { accountQuery } from "../../queries.ts";
import { keysQuery, stateOf } from "../keys/key-queries.ts";
import { checked, perDay, sumCounts } from "../usage/usage-days.ts";
import { usageQuery } from "../usage/usage-queries.ts";
import { VerdictsPerDay } from "../usage/verdicts-per-day.tsx";
import { AccountStats } from "./account-stats.tsx";
import { Attention } from "./attention.tsx";
import { GettingStarted, isEverythingDone } from "./getting-started.tsx";
import { messages } from "./messages.tsx";
import { recentJobsQuery } from "./overview-queries.ts";
import { RecentJobs } from "./recent-jobs.tsx";

const DAYS = 30;
/** Height of the chart with its legend. */
const CHART_PX = 312;

export function Page() {
  const [account, usage] = useQueries({ queries: [accountQuery, usageQuery(2 * DAYS)] });
  const days = usage.data && perDay(usage.data);
  const steps = useSteps();
  const failed = [account, usage].find(({ error }) => error);
  const isNew = steps !== undefined && !steps.hasChecked;
  const firstSteps = steps && !isEverythingDone(steps) && <GettingStarted steps={steps} />;
  return (
    <>
      <PageHeader
        title={messages.title}
        actions={
          <Group gap="xs">
            <Button renderRoot={(props) => <Link {...props} to="/validate" />}>
              {messages.checkAddress}
            </Button>
            <Button variant="default" renderRoot={(props) => <Link {...props} to="/bulk" />}>
              {messages.uploadList}
            </Button>
          </Group>
        }
      >
        {messages.intro(DAYS)}
      </PageHeader>
      <Stack gap="lg">
        {failed ? (
          <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} />
        ) : account.data && days ? (
          <AccountStats
            credits={account.data.credits}
            sum={sumCounts(days.slice(-DAYS))}
            before={sumCounts(days.slice(0, -DAYS))}
            days={DAYS}
          />
        ) : (
          <BlockLoading height={{ base: 224, sm: 144 }} />
        )}
        <Attention />
        {isNew && firstSteps}
        {!isNew && (
          <Section title={messages.verdictsPerDay}>
            {days ? <VerdictsPerDay days={days.slice(-DAYS)} /> : <BlockLoading height={CHART_PX} />}
          </Section>
        )}
        <section aria-labelledby="jobs">
          <Group justify="space-between" mb="sm">
            <Title order={2} size="h4" id="jobs">
              {messages.recentJobs}
            </Title>
            <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/bulk" />}>
              {messages.allJobs}
            </Anchor>
          </Group>
          <RecentJobs />
        </section>
        {!isNew && firstSteps}
      </Stack>
    </>
  );
}

/** Undefined while loading. */
function useSteps() {
  const { data: account } = useQuery(accountQuery);
  const { data: usage } = useQuery(usageQuery(2 * DAYS));
  const { data: keys } = useQuery(keysQuery);
  const { data: jobs } = useQuery(recentJobsQuery);
  if (!account || !usage || !keys || !jobs) return undefined;
  return {
    hasChecked: checked(sumCounts(usage.days)) > 0,
    keys: keys.filter((key) => stateOf(key) === "usable"),
    hasJobs: jobs.total > 0,
    hasApi: account.limits.api_access,
  };
}
