/** Creates an account: signs in at once, or sends a confirmation email. */

import { Text } from "@mantine/core";
import { useState } from "react";
import { fieldProblems } from "../../components/problem-text.ts";
import { common } from "../../messages.ts";
import { service } from "../../service.ts";
import { AuthCard } from "./auth-card.tsx";
import { isProblem } from "./auth-error.tsx";
import { AuthForm, EmailInput } from "./auth-form.tsx";
import { AuthLink } from "./auth-link.tsx";
import { messages } from "./messages.tsx";
import { NewPasswordInput, newPasswordProblem } from "./new-password-input.tsx";
import { startSession, useEnterWithSession } from "./session.ts";
import { useAnswer, useRequest } from "./use-request.ts";

export function Page() {
  const { data: about } = useAnswer(() => service.about());
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const signUp = useRequest(() => service.auth.signUp({ email, password }), {
    success: (response) => "account" in response && startSession(response),
  });
  useEnterWithSession();

  if (about?.sign_up === "closed" || isProblem(signUp.error, "sign_up_closed")) return <Closed />;
  if (isProblem(signUp.error, "account_suspended")) return <WaitingForApproval />;
  if (signUp.data && "status" in signUp.data) return <EmailSent email={email} />;

  const submit = () => {
    setIsSubmitted(true);
    if (emailProblem(email) === undefined && newPasswordProblem(password) === undefined) signUp.mutate();
  };
  const problems = fieldProblems(signUp.error);
  const taken = isProblem(signUp.error, "email_taken")
    ? messages.signUp.taken(<AuthLink to="/sign-in">{messages.signUp.signInInstead}</AuthLink>)
    : undefined;
  return (
    <AuthCard
      title={messages.signUp.title}
      intro={introOf(about?.sign_up)}
      footer={messages.signUp.hasAccount(<AuthLink to="/sign-in">{messages.signUp.signIn}</AuthLink>)}
    >
      <AuthForm
        submitLabel={messages.signUp.submit}
        isBusy={signUp.isPending || signUp.isSuccess}
        error={signUp.error}
        fieldCodes={["email_taken"]}
        onSubmit={submit}
      >
        <EmailInput
          autoComplete="email"
          value={email}
          onChange={setEmail}
          error={(isSubmitted ? emailProblem(email) : undefined) ?? problems.email ?? taken}
        />
        <NewPasswordInput
          label={messages.password}
          required
          withAsterisk={false}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          error={problems.password ?? (isSubmitted ? newPasswordProblem(password) : undefined)}
        />
      </AuthForm>
    </AuthCard>
  );
}

function introOf(signUp: string | undefined): string {
  if (signUp === "domains") return messages.signUp.introOfDomains;
  if (signUp === "approval") return messages.signUp.introOfApproval;
  return messages.signUp.intro;
}

/** Checked before the request too, so that it is reported together with the password. */
function emailProblem(email: string): string | undefined {
  if (email.trim() === "") return common.required;
  return /.@./.test(email) ? undefined : messages.signUp.noEmail;
}

function Closed() {
  return (
    <AuthCard
      title={messages.signUp.closed}
      footer={<AuthLink to="/sign-in">{messages.backToSignIn}</AuthLink>}
    >
      <Text role="status">{messages.signUp.closedText}</Text>
    </AuthCard>
  );
}

export function WaitingForApproval() {
  return (
    <AuthCard
      title={messages.signUp.waiting}
      footer={<AuthLink to="/sign-in">{messages.backToSignIn}</AuthLink>}
    >
      <Text role="status">{messages.signUp.waitingText}</Text>
    </AuthCard>
  );
}

/** Does not reveal whether the account already existed. */
function EmailSent({ email }: { email: string }) {
  return (
    <AuthCard
      title={messages.checkInbox}
      footer={messages.signUp.confirmed(<AuthLink to="/sign-in">{messages.signUp.signIn}</AuthLink>)}
    >
      <Text role="status" className="breaks">
        {messages.signUp.sent(<strong>{email}</strong>)}
      </Text>
      <Text size="sm" c="dimmed">
        {messages.signUp.checkSpam}
      </Text>
    </AuthCard>
  );
}
