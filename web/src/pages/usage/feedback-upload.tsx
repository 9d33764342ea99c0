/** Uploads a file of delivery results and shows a summary of its rows. */

import type { FeedbackSummary } from "@mailvet/contract";
import { Alert, Button, FileButton, Group, List, Paper, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type DragEvent, useState } from "react";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { common } from "../../messages.ts";
import { queries, service } from "../../queries.ts";
import classes from "./feedback-upload.module.css";
import { messages } from "./messages.tsx";

const ACCEPT = ".csv,.tsv,.tab,.txt,.gz,text/csv,text/tab-separated-values,text/plain,application/gzip";

export function FeedbackUpload() {
  const [isOver, setIsOver] = useState(false);
  const upload = useMutation({
    mutationFn: (file: File) => service.feedback.upload(file),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["feedback"] }),
  });
  const take = (file: File | null | undefined) => {
    if (file && !upload.isPending) upload.mutate(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    take(event.dataTransfer.files[0]);
  };
  return (
    <Stack gap="sm">
      {upload.error && (
        <ErrorAlert error={upload.error} title={messages.feedback.rejected(upload.variables.name)} />
      )}
      {upload.data && <UploadSummary summary={upload.data} filename={upload.variables.name} />}
      {/* The button is the accessible alternative to dropping. */}
      <Paper
        withBorder
        p={{ base: "md", sm: "lg" }}
        className={`${classes.drop} ${isOver ? classes.over : ""}`}
        onDragOver={(event) => {
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <Group justify="space-between" gap="sm">
          <Stack gap={2} maw={560}>
            <Title order={3} size="h5">
              {messages.feedback.upload}
            </Title>
            <Text size="sm" c="dimmed" role="status">
              {upload.isPending
                ? messages.feedback.reading(upload.variables.name)
                : messages.feedback.uploadHint}
            </Text>
          </Stack>
          <FileButton
            onChange={take}
            accept={ACCEPT}
            inputProps={{ "aria-label": messages.feedback.uploadInput }}
          >
            {(props) => (
              <Button {...props} variant="default" loading={upload.isPending}>
                {common.chooseFile}
              </Button>
            )}
          </FileButton>
        </Group>
      </Paper>
    </Stack>
  );
}

function UploadSummary({ summary, filename }: { summary: FeedbackSummary; filename: string }) {
  const { received, stored, matched, superseded, ignored, unreadable, unreadable_rows } = summary;
  const more = unreadable - unreadable_rows.length;
  return (
    <Alert
      color={stored > 0 ? "green" : "yellow"}
      variant="light"
      title={messages.feedback.stored(stored, received)}
      role="status"
    >
      <Text size="sm" className="breaks">
        {messages.feedback.matched(filename, matched)}
      </Text>
      {superseded + ignored + unreadable > 0 && (
        <List size="sm" mt={4}>
          {superseded > 0 && <List.Item>{messages.feedback.superseded(superseded)}</List.Item>}
          {ignored > 0 && <List.Item>{messages.feedback.ignored(ignored)}</List.Item>}
          {unreadable > 0 && <List.Item>{messages.feedback.unreadable(unreadable)}</List.Item>}
        </List>
      )}
      {unreadable_rows.length > 0 && (
        <List size="xs" mt={4} c="dimmed" className="breaks" listStyleType="none">
          {unreadable_rows.map(({ row, reason }) => (
            <List.Item key={row}>{messages.feedback.unreadableRow(row, reason)}</List.Item>
          ))}
          {more > 0 && <List.Item>{messages.feedback.more(more)}</List.Item>}
        </List>
      )}
    </Alert>
  );
}
