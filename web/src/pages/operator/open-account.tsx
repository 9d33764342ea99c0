/** Dialog that opens an account, and shows the link of the invitation where no email is sent. */

import type { InvitedAccount, Plan } from "@mailvet/contract";
import { NativeSelect, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { FormDialog } from "../../components/dialog/form-dialog.tsx";
import { SecretDialog } from "../../components/dialog/secret-dialog.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { isWholeNumber, WholeNumberInput } from "../../components/whole-number-input.tsx";
import { common } from "../../messages.ts";
import { service } from "../../queries.ts";
import { isProblem } from "../sign-in/auth-error.tsx";
import { messages } from "./messages.tsx";
import { accountsChanged } from "./operator-queries.ts";

const texts = messages.open;
const PLAN_OPTIONS = Object.entries(common.plans).map(([value, label]) => ({ value, label }));

export function OpenAccount({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [email, setEmail] = useState("");
  const [plan, setPlan] = useState("");
  const [credits, setCredits] = useState("");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const open = useMutation({
    mutationFn: () =>
      service.operator.openAccount({
        email,
        ...(plan && { plan: plan as Plan }),
        ...(credits !== "" && { credits: Number(credits) }),
      }),
    async onSuccess(invited) {
      await accountsChanged();
      if (invited.invitation_link === null) await show(invited);
    },
  });
  const show = ({ account }: InvitedAccount) =>
    navigate({ to: "/operator/accounts/$accountId", params: { accountId: account.id } });
  if (open.data) return <InvitationDialog invited={open.data} onDone={() => void show(open.data)} />;
  const problems = fieldProblems(open.error);
  const taken = isProblem(open.error, "email_taken") ? texts.taken : undefined;
  return (
    <FormDialog
      title={texts.title}
      submitLabel={texts.submit}
      isBusy={open.isPending}
      error={taken ? undefined : open.error}
      onSubmit={() => {
        setIsSubmitted(true);
        if (email.trim() !== "" && (credits === "" || isWholeNumber(credits))) open.mutate();
      }}
      onClose={onClose}
    >
      <TextInput
        label={common.email}
        type="email"
        autoComplete="off"
        maxLength={254}
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        error={isSubmitted && email.trim() === "" ? common.required : (problems.email ?? taken)}
        data-autofocus
      />
      <NativeSelect
        label={messages.accounts.plan}
        data={[{ value: "", label: texts.defaultPlan }, ...PLAN_OPTIONS]}
        value={plan}
        onChange={({ currentTarget }) => setPlan(currentTarget.value)}
      />
      <WholeNumberInput
        label={messages.accounts.credits}
        description={texts.creditsHint}
        value={credits}
        onChange={setCredits}
        error={problems.credits}
      />
    </FormDialog>
  );
}

/** Nothing to show where the link was sent by email. */
export function InvitationDialog({ invited, onDone }: { invited: InvitedAccount; onDone: () => void }) {
  if (invited.invitation_link === null) return null;
  return (
    <SecretDialog
      title={texts.linkTitle}
      secret={invited.invitation_link}
      label={texts.linkLabel}
      onDone={onDone}
    >
      {texts.linkText(invited.account.email)}
    </SecretDialog>
  );
}
