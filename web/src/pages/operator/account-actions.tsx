/** What the operator can do with an account: invite again, suspend, resume, change the email, end sessions, export, erase. */

import "@mantine/core/styles/Checkbox.layer.css";
import type { InvitedAccount, OperatorAccount } from "@mailvet/contract";
import { Button, Checkbox, Group, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmDialog } from "../../components/dialog/confirm-dialog.tsx";
import { FormDialog } from "../../components/dialog/form-dialog.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { common } from "../../messages.ts";
import { aboutQuery, checkSession, downloadOnceWritten, service, sessionQuery } from "../../queries.ts";
import { messages } from "./messages.tsx";
import { InvitationDialog } from "./open-account.tsx";
import { accountsChanged } from "./operator-queries.ts";

const texts = messages.actions;
type Dialog = "suspend" | "email" | "sessions" | "erase";

export function AccountActions({ account }: { account: OperatorAccount }) {
  const { data: session } = useQuery(sessionQuery);
  const [dialog, setDialog] = useState<Dialog>();
  const [invited, setInvited] = useState<InvitedAccount>();
  const invite = useMutation({
    mutationFn: () => service.operator.inviteAgain(account.id),
    onSuccess: setInvited,
  });
  const resume = useMutation({
    mutationFn: () => service.operator.resume(account.id),
    onSuccess: accountsChanged,
  });
  const exporting = useMutation({
    mutationFn: () =>
      downloadOnceWritten(`/api/v1/operator/accounts/${encodeURIComponent(account.id)}/export`),
    onMutate: checkSession,
  });
  const close = () => setDialog(undefined);
  const isOwn = session?.account.id === account.id;
  const props = { account, onClose: close };
  return (
    <>
      <Group gap="sm">
        {account.state === "invited" && (
          <Button loading={invite.isPending} onClick={() => invite.mutate()}>
            {texts.invite}
          </Button>
        )}
        {account.state === "suspended" && (
          <Button loading={resume.isPending} onClick={() => resume.mutate()}>
            {texts.resume}
          </Button>
        )}
        {account.state !== "suspended" && !isOwn && (
          <Button variant="default" onClick={() => setDialog("suspend")}>
            {texts.suspend}
          </Button>
        )}
        <Button variant="default" onClick={() => setDialog("email")}>
          {texts.email}
        </Button>
        <Button variant="default" onClick={() => setDialog("sessions")}>
          {texts.sessions}
        </Button>
        <Button variant="default" loading={exporting.isPending} onClick={() => exporting.mutate()}>
          {texts.export}
        </Button>
        {!isOwn && (
          <Button variant="light" color="red" onClick={() => setDialog("erase")}>
            {texts.erase}
          </Button>
        )}
      </Group>
      {(invite.error ?? resume.error ?? exporting.error) && (
        <ErrorAlert error={(invite.error ?? resume.error ?? exporting.error)!} />
      )}
      {invite.isSuccess && !invite.data.invitation_link && (
        <Text size="sm" role="status">
          {texts.invited}
        </Text>
      )}
      {invited && <InvitationDialog invited={invited} onDone={() => setInvited(undefined)} />}
      {dialog === "suspend" && <SuspendDialog {...props} />}
      {dialog === "email" && <EmailDialog {...props} />}
      {dialog === "erase" && <EraseDialog {...props} />}
      <SessionsDialog {...props} isOpen={dialog === "sessions"} />
    </>
  );
}

type DialogProps = { account: OperatorAccount; onClose: () => void };

function SuspendDialog({ account, onClose }: DialogProps) {
  const [reason, setReason] = useState("");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const suspend = useMutation({
    mutationFn: () => service.operator.suspend(account.id, reason.trim()),
    async onSuccess() {
      await accountsChanged();
      onClose();
    },
  });
  return (
    <FormDialog
      title={texts.suspendTitle(account.email)}
      submitLabel={texts.suspend}
      isBusy={suspend.isPending}
      error={suspend.error}
      onSubmit={() => {
        setIsSubmitted(true);
        if (reason.trim() !== "") suspend.mutate();
      }}
      onClose={onClose}
    >
      <Text size="sm">{texts.suspendText}</Text>
      <Textarea
        label={common.reason}
        description={texts.suspendReason}
        maxLength={500}
        autosize
        minRows={2}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        error={isSubmitted && reason.trim() === "" ? common.required : fieldProblems(suspend.error).reason}
        data-autofocus
      />
    </FormDialog>
  );
}

function EmailDialog({ account, onClose }: DialogProps) {
  const { data: about } = useQuery(aboutQuery);
  const [email, setEmail] = useState("");
  const [isConfirmed, setIsConfirmed] = useState(true);
  const [isSubmitted, setIsSubmitted] = useState(false);
  const change = useMutation({
    mutationFn: () =>
      service.operator.changeEmail(account.id, { email, ...(about?.mail && { confirm: isConfirmed }) }),
    async onSuccess() {
      await accountsChanged();
      onClose();
    },
  });
  return (
    <FormDialog
      title={texts.emailTitle}
      submitLabel={texts.email}
      isBusy={change.isPending}
      error={change.error}
      onSubmit={() => {
        setIsSubmitted(true);
        if (email.trim() !== "") change.mutate();
      }}
      onClose={onClose}
    >
      <Text size="sm">{texts.emailText(account.email)}</Text>
      <TextInput
        label={texts.newEmail}
        type="email"
        autoComplete="off"
        maxLength={254}
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        error={isSubmitted && email.trim() === "" ? common.required : fieldProblems(change.error).email}
        data-autofocus
      />
      {about?.mail && (
        <Checkbox
          label={texts.emailConfirm}
          checked={isConfirmed}
          onChange={({ currentTarget }) => setIsConfirmed(currentTarget.checked)}
        />
      )}
    </FormDialog>
  );
}

function SessionsDialog({ account, isOpen, onClose }: DialogProps & { isOpen: boolean }) {
  const end = useMutation({
    mutationFn: () => service.operator.endSessions(account.id),
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={texts.sessionsTitle}
      confirmLabel={texts.sessions}
      isBusy={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      {texts.sessionsText(account.email)}
    </ConfirmDialog>
  );
}

function EraseDialog({ account, onClose }: DialogProps) {
  const navigate = useNavigate();
  const [email, setEmail] = useState("");
  const [reason, setReason] = useState("");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const erase = useMutation({
    mutationFn: () => service.operator.erase(account.id, { email: email.trim(), reason: reason.trim() }),
    async onSuccess() {
      await navigate({ to: "/operator/accounts" });
      await accountsChanged();
    },
  });
  const problems = fieldProblems(erase.error);
  return (
    <FormDialog
      title={texts.eraseTitle(account.email)}
      submitLabel={texts.eraseSubmit}
      isBusy={erase.isPending}
      error={erase.error}
      onSubmit={() => {
        setIsSubmitted(true);
        if (email.trim() !== "" && reason.trim() !== "") erase.mutate();
      }}
      onClose={onClose}
    >
      <Text size="sm">{texts.eraseText}</Text>
      <TextInput
        label={texts.eraseEmail}
        autoComplete="off"
        maxLength={254}
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        error={isSubmitted && email.trim() === "" ? common.required : problems.email}
        data-autofocus
      />
      <TextInput
        label={common.reason}
        description={texts.eraseReason}
        maxLength={500}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        error={isSubmitted && reason.trim() === "" ? common.required : problems.reason}
      />
    </FormDialog>
  );
}
