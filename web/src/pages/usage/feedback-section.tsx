/** Predicted and real bounces: what messages came to, held against the scores, and the way to tell more of them. */
import type { FeedbackReport } from "@mailvet/contract";
import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { CopyableCode } from "../../shared/copyable-code.tsx";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { formatPercent, plural } from "../../shared/number-format.ts";
import { DeleteFeedback } from "./delete-feedback.tsx";
import { FeedbackChart } from "./feedback-chart.tsx";
import { feedbackReportQuery } from "./feedback-queries.ts";
import { FeedbackTables } from "./feedback-tables.tsx";
import { FeedbackUpload } from "./feedback-upload.tsx";

export function FeedbackSection() {
  const { data: report, error, refetch, isPending } = useQuery(feedbackReportQuery);
  return (
    <section aria-labelledby="feedback">
      <Title order={2} size="h4" id="feedback">
        Predicted and real bounces
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Tell what became of your messages, and your scores learn from it. It costs nothing, and moves nobody
        else’s scores.
      </Text>
      {isPending ? (
        <Loading />
      ) : error ? (
        <ErrorAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <Stack gap="lg">
          {hasOutcomes(report) ? <Comparison report={report} /> : <HowToBegin />}
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
  const told = totals.delivered + totals.bounced + totals.complained;
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }}>
      <Stack gap="sm">
        <Text size="sm">
          {plural(told, "mailbox", "mailboxes")} with an outcome:{" "}
          {plural(totals.delivered, "delivered", "delivered")}, {plural(totals.bounced, "bounced", "bounced")}
          , {plural(totals.complained, "complained", "complained")}.
        </Text>
        {overall ? (
          <>
            <Text size="sm">
              Of the {plural(overall.outcomes, "mailbox", "mailboxes")} that had been checked before,{" "}
              <b>{formatPercent(overall.real_bounce_rate, 1)}</b> really bounced. The scores had foreseen{" "}
              {formatPercent(overall.predicted_bounce_rate, 1)}; after what was learned they say{" "}
              {formatPercent(overall.calibrated_bounce_rate, 1)}.
            </Text>
            <FeedbackChart weeks={report.by_week} />
            <FeedbackTables report={report} />
          </>
        ) : (
          <Text size="sm" c="dimmed">
            None of them had been checked here before, so there is nothing to compare yet. Check a list before
            you send to it; then tell what became of the messages.
          </Text>
        )}
        <Group justify="flex-end">
          <DeleteFeedback />
        </Group>
      </Stack>
    </Paper>
  );
}

function HowToBegin() {
  const curl = `curl -X POST ${window.location.origin}/api/v1/feedback \\
  -H "X-API-Key: YOUR_KEY" -H "Content-Type: text/csv" \\
  --data-binary @bounces.csv`;
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }}>
      <Stack gap="sm">
        <Title order={3} size="h5">
          Nothing was told yet
        </Title>
        <Text size="sm" c="dimmed" maw={640}>
          Check a list, send to it, and then hand in the export of your mail service: a file with the emails
          and what became of each, such as delivered, bounced or complained. Or let a program tell it:
        </Text>
        <CopyableCode text={curl} label="the command" />
      </Stack>
    </Paper>
  );
}
