/** Overview: what changed, what needs an action, verdicts per day, recent jobs, and first steps for a new account. */

import { Anchor, Button, Group, Stack, Title } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { BlockLoading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Section } from "../../components/section.tsx";
import { shellMessages } from "../../messages.ts";
import { isTestMode } from "../../mode.ts";
import { accountQuery } from "../../queries.ts";
import { keysQuery, stateOf } from "../keys/key-queries.ts";
import { parseRange, RangeControl } from "../usage/range-control.tsx";
import { checked, halvesOf, perDay, sumCounts } from "../usage/usage-days.ts";
import { usageQuery } from "../usage/usage-queries.ts";
import { VerdictsPerDay } from "../usage/verdicts-per-day.tsx";
import { AccountStats } from "./account-stats.tsx";
import { Attention, useAttention } from "./attention.tsx";
import { GettingStarted, isEverythingDone } from "./getting-started.tsx";
import { messages } from "./messages.tsx";
import { recentJobsQuery } from "./overview-queries.ts";
import { RecentJobs } from "./recent-jobs.tsx";

/** Height of the chart with its legend. */
const CHART_PX = 312;

export function Page() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const range = parseRange(search.days);
  const [account, usage] = useQueries({ queries: [accountQuery, usageQuery(range)] });
  const periods = usage.data && halvesOf(usage.data);
  const days = periods && perDay(periods.now);
  const before = periods && perDay(periods.before);
  const attention = useAttention();
  const steps = useSteps(range);
  const failed = [account, usage].find(({ error }) => error);
  // Whether something was checked is not known in test mode, whose usage is empty.
  const isNew = steps !== undefined && !steps.hasChecked && !isTestMode;
  const firstSteps = steps && !isTestMode && !isEverythingDone(steps) && <GettingStarted steps={steps} />;
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
        {isTestMode ? shellMessages.testMode.figures : messages.intro(days?.length ?? range)}
      </PageHeader>
      <Stack gap="lg">
        {failed ? (
          <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} />
        ) : account.data && days && before ? (
          <AccountStats
            credits={account.data.credits}
            sum={sumCounts(days)}
            before={sumCounts(before)}
            days={days.length}
          />
        ) : (
          <BlockLoading height={{ base: 224, sm: 144 }} />
        )}
        {attention ? (
          <>
            <Attention items={attention} />
            {isNew && firstSteps}
            {!isNew && (
              <Section
                title={messages.verdictsPerDay}
                actions={
                  <RangeControl
                    days={range}
                    onChange={(chosen) =>
                      void navigate({ to: "/", search: { days: chosen }, replace: true, resetScroll: false })
                    }
                  />
                }
              >
                {days && before ? (
                  <VerdictsPerDay days={days} before={before} />
                ) : (
                  <BlockLoading height={CHART_PX} />
                )}
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
          </>
        ) : (
          <BlockLoading height={CHART_PX} />
        )}
      </Stack>
    </>
  );
}

/** Undefined while loading. */
function useSteps(days: number) {
  const { data: account } = useQuery(accountQuery);
  const { data: usage } = useQuery(usageQuery(days));
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
