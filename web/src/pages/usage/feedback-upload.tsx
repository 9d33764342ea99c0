/** Takes a file of outcomes, and says in words what came of each of its rows. */
import type { FeedbackSummary } from "@mailvet/contract";
import { Alert, Button, FileButton, Group, List, Paper, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type DragEvent, useState } from "react";
import { queries, service } from "../../queries.ts";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { plural } from "../../shared/number-format.ts";
import classes from "./feedback-upload.module.css";

const OFFERED = ".csv,.tsv,.tab,.txt,.gz,text/csv,text/tab-separated-values,text/plain,application/gzip";

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
      {upload.error && <ErrorAlert error={upload.error} title={`${upload.variables.name} was not taken`} />}
      {upload.data && <Taken summary={upload.data} filename={upload.variables.name} />}
      {/* Whoever cannot drag has the button. */}
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
              Hand in a file of outcomes
            </Title>
            <Text size="sm" c="dimmed" role="status">
              {upload.isPending
                ? `Reading ${upload.variables.name} …`
                : "Drop the export of your mail service here, or choose it. Its columns are found by what is in them."}
            </Text>
          </Stack>
          <FileButton onChange={take} accept={OFFERED} inputProps={{ "aria-label": "File of outcomes" }}>
            {(props) => (
              <Button {...props} variant="default" loading={upload.isPending}>
                Choose a file
              </Button>
            )}
          </FileButton>
        </Group>
      </Paper>
    </Stack>
  );
}

function Taken({ summary, filename }: { summary: FeedbackSummary; filename: string }) {
  const { received, stored, matched, superseded, ignored, unreadable, unreadable_rows } = summary;
  const more = unreadable - unreadable_rows.length;
  return (
    <Alert
      color={stored > 0 ? "teal" : "yellow"}
      variant="light"
      title={`${plural(stored, "outcome")} of ${plural(received, "row")} stored`}
      role="status"
    >
      <Text size="sm" className="breaks">
        From {filename}. {plural(matched, "mailbox", "mailboxes")} of them had been checked before.
      </Text>
      {superseded + ignored + unreadable > 0 && (
        <List size="sm" mt={4}>
          {superseded > 0 && (
            <List.Item>
              {plural(superseded, "row")} about a mailbox of which something newer is known
            </List.Item>
          )}
          {ignored > 0 && (
            <List.Item>
              {plural(ignored, "row")} ignored: soft bounces, delays, the sandbox, or of too long ago
            </List.Item>
          )}
          {unreadable > 0 && <List.Item>{plural(unreadable, "row")} not understood</List.Item>}
        </List>
      )}
      {unreadable_rows.length > 0 && (
        <List size="xs" mt={4} c="dimmed" className="breaks" listStyleType="none">
          {unreadable_rows.map(({ row, reason }) => (
            <List.Item key={row}>
              Row {row}: {reason}
            </List.Item>
          ))}
          {more > 0 && <List.Item>and {plural(more, "row")} more</List.Item>}
        </List>
      )}
    </Alert>
  );
}
