/** Jobs of any account, with buttons to pause, resume and cancel. */

import type { OperatorJob } from "@mailvet/contract";
import { Anchor, Button, Group, Table, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { TableHead } from "../../components/table-head.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { service } from "../../queries.ts";
import { JobStatusBadge } from "../bulk/job-status-badge.tsx";
import { messages } from "./messages.tsx";
import { jobsChanged } from "./operator-queries.ts";

const texts = messages.jobs;
type Action = { job: OperatorJob; kind: "pause" | "resume" | "cancel" };

export function OperatorJobTable({ jobs, withAccount }: OperatorJobTableProps) {
  const [cancelled, setCancelled] = useState<OperatorJob>();
  const act = useMutation({
    mutationFn: ({ job, kind }: Action) => ACTIONS[kind](job.id),
    onSuccess: () => setCancelled(undefined),
    onSettled: jobsChanged,
  });
  const columns = [texts.file, ...(withAccount ? [texts.account] : []), texts.status, texts.started];
  return (
    <>
      {act.error && !cancelled && <ErrorAlert error={act.error} />}
      <Table className="stacks" aria-label={texts.title} verticalSpacing={6}>
        <TableHead columns={columns} numbers={[texts.progress]}>
          <Table.Td />
        </TableHead>
        <Table.Tbody>
          {jobs.map((job) => (
            <JobTableRow
              key={job.id}
              job={job}
              withAccount={withAccount}
              isBusy={act.isPending && act.variables.job.id === job.id}
              onAct={(kind) => (kind === "cancel" ? setCancelled(job) : act.mutate({ job, kind }))}
            />
          ))}
        </Table.Tbody>
      </Table>
      <ConfirmDialog
        isOpen={cancelled !== undefined}
        title={texts.cancelTitle}
        confirmLabel={texts.cancel}
        cancelLabel={texts.keep}
        isBusy={act.isPending}
        error={act.error}
        onConfirm={() => cancelled && act.mutate({ job: cancelled, kind: "cancel" })}
        onClose={() => setCancelled(undefined)}
      >
        {cancelled && texts.cancelText(cancelled.filename, cancelled.account_email)}
      </ConfirmDialog>
    </>
  );
}

type OperatorJobTableProps = { jobs: readonly OperatorJob[]; withAccount: boolean };

const ACTIONS = {
  pause: service.operator.pauseJob,
  resume: service.operator.resumeJob,
  cancel: service.operator.cancelJob,
};

type JobTableRowProps = {
  job: OperatorJob;
  withAccount: boolean;
  isBusy: boolean;
  onAct: (kind: Action["kind"]) => void;
};

function JobTableRow({ job, withAccount, isBusy, onAct }: JobTableRowProps) {
  const isActive = ["queued", "processing", "paused"].includes(job.status);
  const label = (kind: Action["kind"]) => texts.actionOn(texts[kind], job.filename);
  const button = (kind: Action["kind"]) => (
    <Button
      variant="default"
      size="compact-sm"
      loading={isBusy}
      aria-label={label(kind)}
      onClick={() => onAct(kind)}
    >
      {texts[kind]}
    </Button>
  );
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} className="breaks">
        {job.filename}
        {job.sandbox && (
          <Text span size="xs" c="dimmed">
            {" "}
            {texts.sandbox}
          </Text>
        )}
      </Table.Th>
      {withAccount && (
        <Table.Td data-name={texts.account} className="breaks">
          <Anchor
            inherit
            renderRoot={(props) => (
              <Link {...props} to="/operator/accounts/$accountId" params={{ accountId: job.account_id }} />
            )}
          >
            {job.account_email}
          </Anchor>
        </Table.Td>
      )}
      <Table.Td data-name={texts.status}>
        <JobStatusBadge job={job} />
      </Table.Td>
      <Table.Td data-name={texts.started}>
        <Timestamp at={job.created_at} />
      </Table.Td>
      <Table.Td data-name={texts.progress} ta="right" className="tabular">
        {common.emailsOf(job.processed, job.unique_emails)}
      </Table.Td>
      <Table.Td ta="right">
        {isActive && (
          <Group gap={6} justify="flex-end" wrap="nowrap">
            {job.status === "processing" && button("pause")}
            {job.status === "paused" && button("resume")}
            {button("cancel")}
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
