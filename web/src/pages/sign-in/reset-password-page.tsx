/** Choosing a new password, with the token of the link in the mail. */
import { Button, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { queries, service, sessionQuery } from "../../queries.ts";
import { fieldProblems } from "../../shared/problem-text.ts";
import { AuthCard } from "./auth-card.tsx";
import { AuthForm } from "./auth-form.tsx";
import { AuthLink } from "./auth-link.tsx";
import { isProblem } from "./auth-problem.tsx";
import { NewPasswordInput, newPasswordProblem } from "./new-password-input.tsx";

export function Page() {
  const { token = "" } = useSearch({ strict: false });
  const [password, setPassword] = useState("");
  const [isTried, setIsTried] = useState(false);
  const choose = useMutation({
    mutationFn: () => service.auth.choosePassword({ token, newPassword: password }),
    // Every session of the account has ended, this browser's too.
    onSuccess: () => queries.setQueryData(sessionQuery.queryKey, null),
  });

  if (token === "" || isProblem(choose.error, "link_expired")) return <LinkExpired />;
  if (choose.isSuccess) return <Changed />;

  const submit = () => {
    setIsTried(true);
    if (newPasswordProblem(password) === undefined) choose.mutate();
  };
  const refused = fieldProblems(choose.error).new_password;
  return (
    <AuthCard
      title="Choose a new password"
      intro="All browsers that are signed in with the old one will have to sign in again."
    >
      <AuthForm doIt="Keep this password" isBusy={choose.isPending} error={choose.error} onSubmit={submit}>
        <NewPasswordInput
          label="New password"
          required
          withAsterisk={false}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          error={refused ?? (isTried ? newPasswordProblem(password) : undefined)}
          autoFocus
        />
      </AuthForm>
    </AuthCard>
  );
}

function Changed() {
  return (
    <AuthCard title="Your password is changed">
      <Text role="status">Sign in with the new one from now on.</Text>
      <Button component={Link} to="/sign-in" fullWidth>
        Sign in
      </Button>
    </AuthCard>
  );
}

function LinkExpired() {
  return (
    <AuthCard
      title="This link no longer works"
      footer={<AuthLink to="/sign-in">Back to signing in</AuthLink>}
    >
      <Text role="alert">
        A link works once, within half an hour. It may have been used already, or a newer one has taken its
        place.
      </Text>
      <Button component={Link} to="/forgotten-password" fullWidth>
        Ask for a new link
      </Button>
    </AuthCard>
  );
}
