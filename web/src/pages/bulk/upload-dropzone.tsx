/** Takes a file, sends it, and hands on what the service found in it. */
import type { UploadPreview } from "@mailvet/contract";
import { Button, Group, Paper, Progress, Stack, Text, Title } from "@mantine/core";
import { Dropzone } from "@mantine/dropzone";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { aboutQuery, accountQuery, service } from "../../queries.ts";
import { formatNumber, plural } from "../../shared/number-format.ts";
import classes from "./bulk.module.css";
import { UploadError } from "./upload-error.tsx";

/** What the chooser offers first. What a file really is, the service sees by its content. */
const OFFERED = ".csv,.tsv,.tab,.txt,.gz,text/csv,text/tab-separated-values,text/plain,application/gzip";

export function UploadDropzone({ onPreview }: { onPreview: (preview: UploadPreview) => void }) {
  const sending = useRef<AbortController>(undefined);
  const limits = useFileLimits();
  const [trouble, setTrouble] = useState<string>();
  const upload = useMutation({
    mutationFn(file: File) {
      sending.current = new AbortController();
      return service.jobs.upload(file, { signal: sending.current.signal });
    },
    onSuccess: onPreview,
  });
  // Whoever leaves the page does not wait for the file any more.
  useEffect(() => () => sending.current?.abort(), []);

  const take = (files: File[]) => {
    const [file, another] = files;
    if (!file) return;
    const found = another ? ONE_AT_A_TIME : tooLarge(file, limits?.megabytes);
    setTrouble(found);
    if (found === undefined) upload.mutate(file);
    else upload.reset();
  };
  if (upload.isPending) {
    return <Sending file={upload.variables} onCancel={() => sending.current?.abort()} />;
  }
  const isGivenUp = sending.current?.signal.aborted ?? false;
  return (
    <Stack>
      {upload.error && !isGivenUp && <UploadError error={upload.error} filename={upload.variables.name} />}
      <Dropzone
        onDrop={take}
        // Those who listen have the button, which opens the same chooser.
        inputProps={{
          accept: OFFERED,
          multiple: false,
          "aria-label": "File with emails",
          "aria-hidden": true,
        }}
        activateOnKeyboard={false}
        enablePointerEvents
        className={classes.drop}
      >
        <Stack align="center" gap="xs" ta="center" py="lg">
          <SheetMark />
          <Title order={2} size="h4">
            <Dropzone.Idle>Drop a list of emails here</Dropzone.Idle>
            <Dropzone.Accept>Let go to send it</Dropzone.Accept>
          </Title>
          <Text size="sm" c="dimmed" maw={460} className="balanced">
            CSV, TSV or plain text, also gzipped, with or without a header row. You see what is in it before
            anything is charged.
          </Text>
          <Text size="sm" c="dimmed" mih="1lh">
            {limits &&
              `Up to ${plural(limits.emails, "email")} and ${formatNumber(limits.megabytes)} MB a file.`}
          </Text>
          {/* A click on it is a click on the zone, which opens the chooser. */}
          <Button mt="xs">Choose a file</Button>
        </Stack>
      </Dropzone>
      {trouble && (
        <Text size="sm" c="red" role="alert">
          {trouble}
        </Text>
      )}
    </Stack>
  );
}

const ONE_AT_A_TIME = "One file at a time, please. Drop just one of them.";

/** Found out before it is on its way: sending it would take long, and be for nothing. */
function tooLarge(file: File, megabytes: number | undefined): string | undefined {
  if (megabytes === undefined || file.size <= megabytes * BYTES_PER_MB) return undefined;
  return `${file.name} has ${sizeOf(file)}, and ${formatNumber(megabytes)} MB is the most. Compress it with gzip, or split it.`;
}

const BYTES_PER_MB = 1024 * 1024; // as the operator sets it

/** Of this account here; undefined until they are known. */
function useFileLimits(): { emails: number; megabytes: number } | undefined {
  const { data: about } = useQuery(aboutQuery);
  const { data: account } = useQuery(accountQuery);
  if (!about || !account) return undefined;
  return {
    emails: Math.min(about.max_csv_emails, account.limits.emails_per_file),
    megabytes: Math.floor(about.max_upload_bytes / BYTES_PER_MB),
  };
}

function Sending({ file, onCancel }: { file: File; onCancel: () => void }) {
  return (
    <Paper withBorder p="xl" radius="md">
      <Stack>
        <Group justify="space-between" wrap="nowrap">
          <div role="status">
            <Text fw={600} className="breaks">
              Sending {file.name}
            </Text>
            <Text size="sm" c="dimmed">
              {sizeOf(file)}. Its rows are counted while it arrives.
            </Text>
          </div>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
        <Progress.Root size="md">
          <Progress.Section value={100} animated aria-label={`Sending ${file.name}`} withAria={false} />
        </Progress.Root>
      </Stack>
    </Paper>
  );
}

function sizeOf({ size }: File): string {
  if (size < 1_000_000) return `${Math.max(1, Math.round(size / 1_000))} kB`;
  return `${(size / 1_000_000).toFixed(1)} MB`;
}

function SheetMark() {
  return (
    <svg
      width="40"
      height="40"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8z" />
      <path d="M14 3v5h5M12 18v-6M9.5 14.5 12 12l2.5 2.5" />
    </svg>
  );
}
