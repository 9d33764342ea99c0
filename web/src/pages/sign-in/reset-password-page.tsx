/** Sets a password with the token of a reset link or an invitation. */

import { Button, Checkbox, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { fieldProblems } from "../../components/problem-text.ts";
import { queries, service, sessionQuery } from "../../queries.ts";
import { AuthCard } from "./auth-card.tsx";
import { isProblem } from "./auth-error.tsx";
import { AuthForm } from "./auth-form.tsx";
import { AuthLink } from "./auth-link.tsx";
import { messages } from "./messages.tsx";
import { NewPasswordInput, newPasswordProblem } from "./new-password-input.tsx";

export function Page() {
  const { token = "", invitation } = useSearch({ strict: false });
  const isInvited = invitation !== undefined;
  const texts = isInvited ? messages.invitation : messages.reset;
  const [password, setPassword] = useState("");
  const [revokeKeys, setRevokeKeys] = useState(false);
  const [removePasskeys, setRemovePasskeys] = useState(false);
  const [isSubmitted, setIsSubmitted] = useState(false);
  const choose = useMutation({
    mutationFn: () =>
      service.auth.choosePassword({ token, newPassword: password, revokeKeys, removePasskeys }),
    // The reset ends every session of the account, including this one.
    onSuccess: () => queries.setQueryData(sessionQuery.queryKey, null),
  });

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
      <Button component={Link} to="/sign-in" fullWidth>
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
      <Button component={Link} to="/forgotten-password" fullWidth>
        {messages.reset.newLink}
      </Button>
    </AuthCard>
  );
}
