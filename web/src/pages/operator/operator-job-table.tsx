/** Jobs of any account, with actions to pause, resume and cancel. */

import type { OperatorJob } from "@mailvet/contract";
import { Anchor, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmDialog } from "../../components/dialog/confirm-dialog.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { service } from "../../queries.ts";
import { JobStatusBadge } from "../bulk/job-status-badge.tsx";
import { messages } from "./messages.tsx";
import { jobsChanged } from "./operator-queries.ts";

const texts = messages.jobs;
type ActionKind = keyof typeof ACTIONS;

export function OperatorJobTable({ jobs, withAccount }: OperatorJobTableProps) {
  const [cancelled, setCancelled] = useState<OperatorJob>();
  const act = useMutation({
    mutationFn: ({ job, kind }: { job: OperatorJob; kind: ActionKind }) => ACTIONS[kind](job.id),
    onSuccess: () => setCancelled(undefined),
    onSettled: jobsChanged,
  });
  const actionsOf = (job: OperatorJob): ActionKind[] => {
    if (job.status === "processing") return ["pause", "cancel"];
    if (job.status === "paused") return ["resume", "cancel"];
    return job.status === "queued" ? ["cancel"] : [];
  };
  return (
    <>
      {act.error && !cancelled && <ErrorAlert error={act.error} />}
      <DataTable
        label={texts.title}
        rows={jobs}
        rowKey={({ id }) => id}
        columns={COLUMNS.filter(({ name }) => withAccount || name !== texts.account)}
        menu={(job) => ({
          name: job.filename,
          actions: actionsOf(job).map((kind) => ({
            label: texts[kind],
            isDangerous: kind === "cancel",
            isDisabled: act.isPending && act.variables.job.id === job.id,
            onClick: () => (kind === "cancel" ? setCancelled(job) : act.mutate({ job, kind })),
          })),
        })}
      />
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

const COLUMNS: readonly Column<OperatorJob>[] = [
  { name: texts.file, width: "22%", cell: (job) => <File job={job} /> },
  { name: texts.account, cell: (job) => <Account job={job} /> },
  { name: texts.status, width: 152, cell: (job) => <JobStatusBadge job={job} /> },
  { name: texts.started, width: 126, cell: ({ created_at }) => <Timestamp at={created_at} /> },
  {
    name: texts.progress,
    width: 230,
    cell: ({ processed, unique_emails }) => common.emailsOf(processed, unique_emails),
    isNumber: true,
  },
];

function File({ job: { filename, sandbox } }: { job: OperatorJob }) {
  return (
    <span title={filename}>
      {filename}
      {sandbox && (
        <Text span size="xs" c="dimmed">
          {" "}
          {texts.sandbox}
        </Text>
      )}
    </span>
  );
}

function Account({ job: { account_id, account_email } }: { job: OperatorJob }) {
  return (
    <Anchor
      inherit
      renderRoot={(props) => (
        <Link {...props} to="/operator/accounts/$accountId" params={{ accountId: account_id }} />
      )}
    >
      {account_email}
    </Anchor>
  );
}
