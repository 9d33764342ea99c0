/** Choice of files by dialog or drag and drop. */
import "@mantine/dropzone/styles.layer.css";
import { Button, Stack, Text, Title } from "@mantine/core";
import { Dropzone } from "@mantine/dropzone";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Icon } from "../../components/icon.tsx";
import { aboutQuery, accountQuery } from "../../queries.ts";
import classes from "./bulk.module.css";
import { messages } from "./messages.tsx";

const FILE =
  "M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zM14 3v5h5M12 18v-6M9.5 14.5 12 12l2.5 2.5";
/** Filter of the file dialog only. The service detects the type by content. */
const ACCEPT =
  ".csv,.tsv,.tab,.txt,.gz,.xlsx,.ods,text/csv,text/tab-separated-values,text/plain,application/gzip";

const MAX_FILES = 10;

export function FileDropzone({ onFiles, onInvalid }: FileDropzoneProps) {
  const limits = useFileLimits();
  const [problem, setProblem] = useState<string>();
  const take = (files: File[]) => {
    if (files.length === 0) return;
    const found =
      files.length > MAX_FILES
        ? messages.upload.tooManyFiles(MAX_FILES)
        : files.map((file) => tooLarge(file, limits?.megabytes)).find((text) => text !== undefined);
    setProblem(found);
    if (found === undefined) onFiles(files);
    else onInvalid();
  };
  return (
    <Stack>
      <Dropzone
        onDrop={take}
        // Hidden from screen readers: the button opens the same dialog.
        inputProps={{
          accept: ACCEPT,
          multiple: true,
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
          <Text size="sm" c="dimmed">
            {messages.upload.several}
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

type FileDropzoneProps = {
  onFiles: (files: File[]) => void;
  /** Files were chosen that cannot be sent. */
  onInvalid: () => void;
};

/** Checked before the upload, which would take long and be rejected. */
function tooLarge(file: File, megabytes: number | undefined): string | undefined {
  if (megabytes === undefined || file.size <= megabytes * BYTES_PER_MB) return undefined;
  return messages.upload.tooLarge(file.name, sizeOf([file]), megabytes);
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

export function sizeOf(files: readonly File[]): string {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size < 1_000_000) return messages.upload.kilobytes(Math.max(1, Math.round(size / 1_000)));
  return messages.upload.megabytes((size / 1_000_000).toFixed(1));
}
