/** Preview of an uploaded file: rows, email column, cost, and the button that starts the job. */
import type { UploadPreview } from "@mailvet/contract";
import { Button, Group, Paper, Select, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Timestamp } from "../../components/timestamp.tsx";
import { accountQuery, queries, service } from "../../queries.ts";
import { JOBS_KEY, jobQuery } from "./job-queries.ts";
import { messages } from "./messages.tsx";
import { columnCounts, MissingCredits, PreviewCost } from "./preview-cost.tsx";
import { PreviewEstimate } from "./preview-estimate.tsx";
import { removePreview } from "./preview-storage.ts";
import { PreviewTable } from "./preview-table.tsx";
import { UploadError } from "./upload-error.tsx";

const MISSING_CREDITS_ID = "credits-missing";

export function PreviewCard({ preview, column, onColumn, onDiscard }: PreviewCardProps) {
  const navigate = useNavigate();
  const { data: account } = useQuery(accountQuery);
  const balance = account?.credits.balance;
  const { emails, unique } = columnCounts(preview, column);
  const missing = unique === undefined || balance === undefined ? 0 : Math.max(0, unique - balance);

  const start = useMutation({
    mutationFn: () => service.jobs.confirm({ uploadId: preview.upload_id, emailColumn: column }),
    async onSuccess(job) {
      removePreview(preview.upload_id);
      queries.setQueryData(jobQuery(job.id).queryKey, job);
      void queries.invalidateQueries({ queryKey: JOBS_KEY });
      await navigate({ to: "/bulk/$jobId", params: { jobId: job.id } });
    },
    onSettled: () => queries.invalidateQueries(accountQuery),
  });

  return (
    <Paper
      withBorder
      p={{ base: "md", sm: "lg" }}
      radius="md"
      component="section"
      aria-labelledby="preview-title"
    >
      <Stack gap="lg">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={2}>
            <Title order={2} size="h3" id="preview-title" className="breaks">
              {preview.filename}
            </Title>
            <Text size="sm" c="dimmed">
              {messages.preview.summary(
                preview.total_rows,
                preview.columns.length,
                <Timestamp at={preview.expires_at} />,
              )}
            </Text>
          </Stack>
          <Button variant="default" onClick={onDiscard}>
            {messages.preview.chooseOther}
          </Button>
        </Group>

        <Select
          label={messages.preview.column}
          description={column === preview.suggested_email_column ? messages.preview.suggested : undefined}
          data={preview.columns.map((name) => ({
            value: name,
            label: messages.preview.columnOption(name, preview.email_count_by_column[name] ?? 0),
            disabled: (preview.email_count_by_column[name] ?? 0) === 0,
          }))}
          value={column}
          onChange={(name) => name !== null && onColumn(name)}
          allowDeselect={false}
          searchable={preview.columns.length > 10}
          maw={420}
        />
        <Stack gap="xs">
          <PreviewTable preview={preview} chosen={column} />
        </Stack>
        <PreviewCost preview={preview} column={column} balance={balance} />
        <PreviewEstimate uploadId={preview.upload_id} column={column} />

        {start.error && <UploadError error={start.error} />}
        <Group justify="space-between" gap="sm">
          {missing > 0 ? <MissingCredits id={MISSING_CREDITS_ID} missing={missing} /> : <span />}
          <Button
            size="md"
            loading={start.isPending}
            disabled={missing > 0 || emails === 0}
            aria-describedby={missing > 0 ? MISSING_CREDITS_ID : undefined}
            onClick={() => start.mutate()}
          >
            {messages.preview.start}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

type PreviewCardProps = {
  preview: UploadPreview;
  column: string;
  onColumn: (column: string) => void;
  onDiscard: () => void;
};
