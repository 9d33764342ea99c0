/** Opening an account: signed in at once, or a mail with a link is on its way. */
import { Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { aboutQuery, service } from "../../queries.ts";
import { fieldProblems } from "../../shared/problem-text.ts";
import { AuthCard } from "./auth-card.tsx";
import { AuthForm, EmailInput } from "./auth-form.tsx";
import { AuthLink } from "./auth-link.tsx";
import { isProblem, MISSING } from "./auth-problem.tsx";
import { NewPasswordInput, newPasswordProblem } from "./new-password-input.tsx";
import { nextPath } from "./next-path.ts";
import { storeSession } from "./store-session.ts";

export function Page() {
  const { next } = useSearch({ strict: false });
  const { history } = useRouter();
  const { data: about } = useQuery(aboutQuery);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [isTried, setIsTried] = useState(false);
  const signUp = useMutation({
    mutationFn: () => service.auth.signUp({ email, password }),
    onSuccess(answer) {
      if (!("account" in answer)) return;
      storeSession(answer);
      history.push(nextPath(next, window.location.origin));
    },
  });

  if (about?.sign_up === "closed" || isProblem(signUp.error, "sign_up_closed")) return <Closed />;
  if (signUp.data && "status" in signUp.data) return <MailOnItsWay email={email} />;

  const submit = () => {
    setIsTried(true);
    if (email.trim() !== "" && newPasswordProblem(password) === undefined) signUp.mutate();
  };
  const problems = fieldProblems(signUp.error);
  const taken = isProblem(signUp.error, "email_taken") ? (
    <>
      There is an account with this email already. <AuthLink to="/sign-in">Sign in instead</AuthLink>
    </>
  ) : undefined;
  return (
    <AuthCard
      title="Open an account"
      intro="For the web app right away, and for the API once you are on a plan that includes it."
      footer={
        <>
          Already have an account? <AuthLink to="/sign-in">Sign in</AuthLink>
        </>
      }
    >
      <AuthForm
        doIt="Open the account"
        isBusy={signUp.isPending}
        error={signUp.error}
        besideFields={["email_taken"]}
        onSubmit={submit}
      >
        <EmailInput
          autoComplete="email"
          value={email}
          onChange={setEmail}
          error={isTried && email.trim() === "" ? MISSING : (problems.email ?? taken)}
        />
        <NewPasswordInput
          label="Password"
          required
          withAsterisk={false}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          error={problems.password ?? (isTried ? newPasswordProblem(password) : undefined)}
        />
      </AuthForm>
    </AuthCard>
  );
}

function Closed() {
  return (
    <AuthCard
      title="New accounts are not open to everybody here"
      footer={<AuthLink to="/sign-in">Back to signing in</AuthLink>}
    >
      <Text role="status">Ask whoever runs this installation for an account.</Text>
    </AuthCard>
  );
}

/** The same whether there was an account already: only the mailbox's owner learns that. */
function MailOnItsWay({ email }: { email: string }) {
  return (
    <AuthCard
      title="Look into your mailbox"
      footer={
        <>
          Confirmed already? <AuthLink to="/sign-in">Sign in</AuthLink>
        </>
      }
    >
      <Text role="status" className="breaks">
        A mail to <strong>{email}</strong> is on its way. Open the link in it within a day, and your account
        is ready.
      </Text>
      <Text size="sm" c="dimmed">
        Nothing there after a few minutes? Look among the spam, or sign up again with the address spelled
        right.
      </Text>
    </AuthCard>
  );
}
