/** Sets a password with the token of a reset link or an invitation. */

import "@mantine/core/styles/InlineInput.layer.css";
import "@mantine/core/styles/Checkbox.layer.css";
import { Button, Checkbox, Text } from "@mantine/core";
import { useState } from "react";
import { fieldProblems } from "../../components/problem-text.ts";
import { service } from "../../service.ts";
import { AuthCard } from "./auth-card.tsx";
import { isProblem } from "./auth-error.tsx";
import { AuthForm } from "./auth-form.tsx";
import { AuthLink } from "./auth-link.tsx";
import { messages } from "./messages.tsx";
import { NewPasswordInput, newPasswordProblem } from "./new-password-input.tsx";
import { searchOf } from "./session.ts";
import { useRequest } from "./use-request.ts";

export function Page() {
  const { token = "", invitation } = searchOf();
  const isInvited = invitation !== undefined;
  const texts = isInvited ? messages.invitation : messages.reset;
  const [password, setPassword] = useState("");
  const [revokeKeys, setRevokeKeys] = useState(false);
  const [removePasskeys, setRemovePasskeys] = useState(false);
  const [isSubmitted, setIsSubmitted] = useState(false);
  const choose = useRequest(() =>
    service.auth
      .choosePassword({ token, newPassword: password, revokeKeys, removePasskeys })
      .then(() => true),
  );

  if (token === "" || isProblem(choose.error, "link_expired"))
    return isInvited ? <InvitationExpired /> : <LinkExpired />;
  if (choose.isSuccess) return <PasswordChanged texts={texts} />;

  const submit = () => {
    setIsSubmitted(true);
    if (newPasswordProblem(password) === undefined) choose.mutate();
  };
  const rejected = fieldProblems(choose.error).new_password;
  return (
    <AuthCard title={texts.title} intro={texts.intro}>
      <AuthForm submitLabel={texts.submit} isBusy={choose.isPending} error={choose.error} onSubmit={submit}>
        <NewPasswordInput
          label={messages.newPassword}
          required
          withAsterisk={false}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          error={rejected ?? (isSubmitted ? newPasswordProblem(password) : undefined)}
          autoFocus
        />
        {!isInvited && (
          <>
            <Checkbox
              label={messages.revokeKeys}
              checked={revokeKeys}
              onChange={({ currentTarget }) => setRevokeKeys(currentTarget.checked)}
            />
            <Checkbox
              label={messages.removePasskeys}
              checked={removePasskeys}
              onChange={({ currentTarget }) => setRemovePasskeys(currentTarget.checked)}
            />
          </>
        )}
      </AuthForm>
    </AuthCard>
  );
}

function PasswordChanged({ texts }: { texts: { done: string; doneText: string; signIn: string } }) {
  return (
    <AuthCard title={texts.done}>
      <Text role="status">{texts.doneText}</Text>
      <Button component="a" href="/sign-in" fullWidth>
        {texts.signIn}
      </Button>
    </AuthCard>
  );
}

function InvitationExpired() {
  return (
    <AuthCard
      title={messages.linkExpired}
      footer={<AuthLink to="/sign-in">{messages.backToSignIn}</AuthLink>}
    >
      <Text role="alert">{messages.invitation.expiredText}</Text>
    </AuthCard>
  );
}

function LinkExpired() {
  return (
    <AuthCard
      title={messages.linkExpired}
      footer={<AuthLink to="/sign-in">{messages.backToSignIn}</AuthLink>}
    >
      <Text role="alert">{messages.reset.expiredText}</Text>
      <Button component="a" href="/forgotten-password" fullWidth>
        {messages.reset.newLink}
      </Button>
    </AuthCard>
  );
}
