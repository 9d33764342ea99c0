/** Uploads a file and passes on the preview of the service. */
import type { UploadPreview } from "@mailvet/contract";
import { Button, Group, Paper, Progress, Stack, Text, Title } from "@mantine/core";
import { Dropzone } from "@mantine/dropzone";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Icon } from "../../components/icon.tsx";
import { common } from "../../messages.ts";
import { aboutQuery, accountQuery, service } from "../../queries.ts";
import classes from "./bulk.module.css";
import { messages } from "./messages.tsx";
import { UploadError } from "./upload-error.tsx";

const FILE =
  "M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zM14 3v5h5M12 18v-6M9.5 14.5 12 12l2.5 2.5";
/** Filter of the file dialog only. The service detects the type by content. */
const ACCEPT = ".csv,.tsv,.tab,.txt,.gz,text/csv,text/tab-separated-values,text/plain,application/gzip";

export function UploadDropzone({ onPreview }: { onPreview: (preview: UploadPreview) => void }) {
  const sending = useRef<AbortController>(undefined);
  const limits = useFileLimits();
  const [problem, setProblem] = useState<string>();
  const upload = useMutation({
    mutationFn(file: File) {
      sending.current = new AbortController();
      return service.jobs.upload(file, { signal: sending.current.signal });
    },
    onSuccess: onPreview,
  });
  // Leaving the page aborts the upload.
  useEffect(() => () => sending.current?.abort(), []);

  const take = (files: File[]) => {
    const [file, another] = files;
    if (!file) return;
    const found = another ? messages.upload.oneFile : tooLarge(file, limits?.megabytes);
    setProblem(found);
    if (found === undefined) upload.mutate(file);
    else upload.reset();
  };
  if (upload.isPending) {
    return <Uploading file={upload.variables} onCancel={() => sending.current?.abort()} />;
  }
  const isAborted = sending.current?.signal.aborted ?? false;
  return (
    <Stack>
      {upload.error && !isAborted && <UploadError error={upload.error} filename={upload.variables.name} />}
      <Dropzone
        onDrop={take}
        // Hidden from screen readers: the button opens the same dialog.
        inputProps={{
          accept: ACCEPT,
          multiple: false,
          "aria-label": messages.upload.input,
          "aria-hidden": true,
        }}
        activateOnKeyboard={false}
        enablePointerEvents
        className={classes.drop}
      >
        <Stack align="center" gap="xs" ta="center" py="lg">
          <Icon path={FILE} size={40} grid={24} strokeWidth={1.4} />
          <Title order={2} size="h4">
            <Dropzone.Idle>{messages.upload.title}</Dropzone.Idle>
            <Dropzone.Accept>{messages.upload.release}</Dropzone.Accept>
          </Title>
          <Text size="sm" c="dimmed" maw={460} className="balanced">
            {messages.upload.hint}
          </Text>
          <Text size="sm" c="dimmed" mih="1lh">
            {limits && messages.upload.limits(limits.emails, limits.megabytes)}
          </Text>
          {/* Its click bubbles to the dropzone, which opens the file dialog. */}
          <Button mt="xs">{messages.upload.choose}</Button>
        </Stack>
      </Dropzone>
      {problem && (
        <Text size="sm" c="red" role="alert">
          {problem}
        </Text>
      )}
    </Stack>
  );
}

/** Checked before the upload, which would take long and be rejected. */
function tooLarge(file: File, megabytes: number | undefined): string | undefined {
  if (megabytes === undefined || file.size <= megabytes * BYTES_PER_MB) return undefined;
  return messages.upload.tooLarge(file.name, sizeOf(file), megabytes);
}

const BYTES_PER_MB = 1024 * 1024; // the unit of the service's setting

/** Limits of this account on this installation; undefined while loading. */
function useFileLimits(): { emails: number; megabytes: number } | undefined {
  const { data: about } = useQuery(aboutQuery);
  const { data: account } = useQuery(accountQuery);
  if (!about || !account) return undefined;
  return {
    emails: Math.min(about.max_csv_emails, account.limits.emails_per_file),
    megabytes: Math.floor(about.max_upload_bytes / BYTES_PER_MB),
  };
}

function Uploading({ file, onCancel }: { file: File; onCancel: () => void }) {
  return (
    <Paper withBorder p="xl" radius="md">
      <Stack>
        <Group justify="space-between" wrap="nowrap">
          <div role="status">
            <Text fw={600} className="breaks">
              {messages.upload.uploading(file.name)}
            </Text>
            <Text size="sm" c="dimmed">
              {messages.upload.uploadingHint(sizeOf(file))}
            </Text>
          </div>
          <Button variant="default" onClick={onCancel}>
            {common.cancel}
          </Button>
        </Group>
        <Progress.Root size="md">
          <Progress.Section
            value={100}
            animated
            aria-label={messages.upload.uploading(file.name)}
            withAria={false}
          />
        </Progress.Root>
      </Stack>
    </Paper>
  );
}

function sizeOf({ size }: File): string {
  if (size < 1_000_000) return messages.upload.kilobytes(Math.max(1, Math.round(size / 1_000)));
  return messages.upload.megabytes((size / 1_000_000).toFixed(1));
}
