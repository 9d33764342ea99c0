/** Preview of an uploaded file: rows, email column, cost, and the button that starts the job. */
import "@mantine/core/styles/Checkbox.layer.css";
import "@mantine/core/styles/ScrollArea.layer.css";
import "@mantine/core/styles/Popover.layer.css";
import "@mantine/core/styles/Combobox.layer.css";
import type { UploadPreview } from "@mailvet/contract";
import { MailvetProblem } from "@mailvet/sdk";
import { Alert, Button, Checkbox, Group, Paper, Select, Stack, Text, Title } from "@mantine/core";
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
import { sendSource, type UploadSource } from "./upload-source.ts";

const MISSING_CREDITS_ID = "credits-missing";
const MAX_MORE_COLUMNS = 9;

export function PreviewCard({
  preview,
  source,
  column,
  more: chosenMore,
  onColumns,
  onPreview,
  onDiscard,
}: PreviewCardProps) {
  const navigate = useNavigate();
  const { data: account } = useQuery(accountQuery);
  const balance = account?.credits.balance;
  const more = chosenMore.filter((name) => name !== column);
  const { emails, unique } = columnCounts(preview, column, more);
  const missing = unique === undefined || balance === undefined ? 0 : Math.max(0, unique - balance);

  const others = preview.columns.filter(
    (name) => name !== column && (preview.email_count_by_column[name] ?? 0) > 0,
  );

  const start = useMutation({
    mutationFn: () =>
      service.jobs.confirm({
        uploadId: preview.upload_id,
        emailColumn: column,
        ...(more.length > 0 && { moreEmailColumns: more }),
      }),
    async onSuccess(job) {
      removePreview(preview.upload_id);
      queries.setQueryData(jobQuery(job.id).queryKey, job);
      void queries.invalidateQueries({ queryKey: JOBS_KEY });
      // The way back leads to the list of jobs, not to a preview that is gone.
      await navigate({ to: "/bulk/$jobId", params: { jobId: job.id }, replace: true });
    },
    onSettled: () => queries.invalidateQueries(accountQuery),
  });

  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }} component="section" aria-labelledby="preview-title">
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
                <Timestamp at={preview.expires_at} isExact />,
              )}
            </Text>
          </Stack>
          <Button variant="default" onClick={onDiscard}>
            {messages.preview.chooseOther}
          </Button>
        </Group>

        {preview.sheets && preview.sheets.length > 1 && (
          <SheetSelect preview={preview} source={source} onPreview={onPreview} />
        )}
        <Select
          label={messages.preview.column}
          description={column === preview.suggested_email_column ? messages.preview.suggested : undefined}
          data={preview.columns.map((name) => ({
            value: name,
            label: messages.preview.columnOption(name, preview.email_count_by_column[name] ?? 0),
            disabled: (preview.email_count_by_column[name] ?? 0) === 0,
          }))}
          value={column}
          onChange={(name) => name !== null && onColumns(name, chosenMore)}
          allowDeselect={false}
          searchable={preview.columns.length > 10}
          maw={420}
        />
        {others.length > 0 && (
          <Checkbox.Group
            label={messages.preview.moreColumns}
            description={messages.preview.moreColumnsHint(MAX_MORE_COLUMNS, others.length)}
            value={more}
            onChange={(names) => onColumns(column, names)}
          >
            <Group mt="xs">
              {others.map((name) => (
                <Checkbox
                  key={name}
                  value={name}
                  disabled={more.length >= MAX_MORE_COLUMNS && !more.includes(name)}
                  label={messages.preview.columnOption(name, preview.email_count_by_column[name] ?? 0)}
                />
              ))}
            </Group>
          </Checkbox.Group>
        )}
        <Stack gap="xs">
          <PreviewTable preview={preview} chosen={[column, ...more]} />
        </Stack>
        <PreviewCost preview={preview} column={column} more={more} balance={balance} />
        <PreviewEstimate uploadId={preview.upload_id} column={column} more={more} />

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

/** The file is sent again for another sheet, so it must be known. */
function SheetSelect({ preview, source, onPreview }: Omit<SourceProps, "column">) {
  const read = useMutation({
    mutationFn: async (sheet: string) => sendSource(source!, { sheet }),
    onSuccess: (found) => onPreview(found, source!),
  });
  return (
    <>
      <Select
        label={messages.preview.sheet}
        description={source ? undefined : messages.preview.sheetGone}
        data={preview.sheets ?? []}
        value={read.isPending ? read.variables : (preview.sheet ?? null)}
        onChange={(name) => name !== null && name !== preview.sheet && read.mutate(name)}
        disabled={!source || read.isPending}
        allowDeselect={false}
        maw={420}
      />
      {read.error && <SheetError error={read.error} sheet={read.variables} />}
    </>
  );
}

const WITHOUT_EMAILS: readonly string[] = ["empty_file", "no_emails_found"];

/** The file is the right one where only this sheet has no emails. */
function SheetError({ error, sheet }: { error: unknown; sheet: string }) {
  if (!(error instanceof MailvetProblem) || !WITHOUT_EMAILS.includes(error.code))
    return <UploadError error={error} filename={sheet} />;
  return (
    <Alert color="red" role="alert" variant="light" title={messages.preview.sheetWithoutEmails(sheet)}>
      {messages.preview.otherSheet}
    </Alert>
  );
}

type SourceProps = {
  preview: UploadPreview;
  /** Undefined after a reload. */
  source: UploadSource | undefined;
  onPreview: (preview: UploadPreview, source: UploadSource) => void;
};

type PreviewCardProps = SourceProps & {
  column: string;
  /** The other columns to be checked; `column` may be among them. */
  more: string[];
  onColumns: (column: string, more: readonly string[]) => void;
  onDiscard: () => void;
};
