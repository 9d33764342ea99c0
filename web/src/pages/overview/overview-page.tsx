/** Overview: credits, verdicts of the last days, recent jobs, and first steps for a new account. */

import { Anchor, Button, Group, Stack, Title } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Section } from "../../components/section.tsx";
import { accountQuery } from "../../queries.ts";
import { keysQuery, stateOf } from "../keys/key-queries.ts";
import { checked, perDay, sumCounts } from "../usage/usage-days.ts";
import { usageQuery } from "../usage/usage-queries.ts";
import { VerdictsPerDay } from "../usage/verdicts-per-day.tsx";
import { AccountStats } from "./account-stats.tsx";
import { GettingStarted, isEverythingDone } from "./getting-started.tsx";
import { messages } from "./messages.tsx";
import { recentJobsQuery } from "./overview-queries.ts";
import { RecentJobs } from "./recent-jobs.tsx";

const DAYS = 30;

export function Page() {
  const [account, usage] = useQueries({ queries: [accountQuery, usageQuery(DAYS)] });
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
        ) : account.data && usage.data ? (
          <AccountStats credits={account.data.credits} sum={sumCounts(usage.data.days)} days={DAYS} />
        ) : (
          <Loading lines={3} />
        )}
        {isNew && firstSteps}
        {steps && !isNew && (
          <Section title={messages.verdictsPerDay}>
            {usage.data ? <VerdictsPerDay days={perDay(usage.data)} /> : <Loading />}
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
  const { data: usage } = useQuery(usageQuery(DAYS));
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
