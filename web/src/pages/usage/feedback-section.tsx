/** Bounce feedback: predicted against actual bounce rates, and the upload of delivery results. */

import type { FeedbackReport } from "@mailvet/contract";
import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { CopyableCode } from "../../components/copyable-code.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { BlockLoading } from "../../components/loading.tsx";
import { formatPercent } from "../../components/number-format.ts";
import { service } from "../../queries.ts";
import { DeleteFeedback } from "./delete-feedback.tsx";
import { FeedbackChart } from "./feedback-chart.tsx";
import { FeedbackTables } from "./feedback-tables.tsx";
import { FeedbackUpload } from "./feedback-upload.tsx";
import { messages } from "./messages.tsx";

const reportQuery = queryOptions({
  queryKey: ["feedback", "report"],
  queryFn: () => service.feedback.report(),
});

export function FeedbackSection() {
  const { data: report, error, refetch, isPending } = useQuery(reportQuery);
  return (
    <section aria-labelledby="feedback">
      <Title order={2} size="h4" id="feedback">
        {messages.feedback.title}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {messages.feedback.intro}
      </Text>
      {isPending ? (
        <BlockLoading height={340} />
      ) : error ? (
        <ErrorAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <Stack gap="lg">
          {hasOutcomes(report) ? <Comparison report={report} /> : <NoFeedback />}
          <FeedbackUpload />
        </Stack>
      )}
    </section>
  );
}

function hasOutcomes({ totals: { delivered, bounced, complained } }: FeedbackReport): boolean {
  return delivered + bounced + complained > 0;
}

function Comparison({ report }: { report: FeedbackReport }) {
  const { totals, overall } = report;
  const total = totals.delivered + totals.bounced + totals.complained;
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }}>
      <Stack gap="sm">
        <Text size="sm">
          {messages.feedback.totals(total, totals.delivered, totals.bounced, totals.complained)}
        </Text>
        {overall ? (
          <>
            <Text size="sm">
              {messages.feedback.comparison(
                overall.outcomes,
                <b>{formatPercent(overall.real_bounce_rate, 1)}</b>,
                formatPercent(overall.predicted_bounce_rate, 1),
                formatPercent(overall.calibrated_bounce_rate, 1),
              )}
            </Text>
            <FeedbackChart weeks={report.by_week} />
            <FeedbackTables report={report} />
          </>
        ) : (
          <Text size="sm" c="dimmed">
            {messages.feedback.notComparable}
          </Text>
        )}
        <Group justify="flex-end">
          <DeleteFeedback />
        </Group>
      </Stack>
    </Paper>
  );
}

function NoFeedback() {
  const curl = `curl -X POST ${window.location.origin}/api/v1/feedback \\
  -H "X-API-Key: YOUR_KEY" -H "Content-Type: text/csv" \\
  --data-binary @bounces.csv`;
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }}>
      <Stack gap="sm">
        <Title order={3} size="h5">
          {messages.feedback.none}
        </Title>
        <Text size="sm" c="dimmed" maw={640}>
          {messages.feedback.noneText}
        </Text>
        <CopyableCode text={curl} label={messages.feedback.command} />
      </Stack>
    </Paper>
  );
}
