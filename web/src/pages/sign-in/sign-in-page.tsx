/** Signs in with the password, and a code where the account has it, or with a passkey; and redirects to the requested page. */

import type { SignedIn } from "@mailvet/contract";
import { Button, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { assertPasskey, hasPasskeys } from "../../components/passkey-ceremony.ts";
import { PasswordInput } from "../../components/password-input.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { common } from "../../messages.ts";
import { service } from "../../service.ts";
import { AuthCard } from "./auth-card.tsx";
import { isProblem } from "./auth-error.tsx";
import { AuthForm, EmailInput } from "./auth-form.tsx";
import { AuthLink } from "./auth-link.tsx";
import { messages } from "./messages.tsx";
import { type Enter, searchOf, startSession, useEnterWithSession } from "./session.ts";
import { useAnswer, useRequest } from "./use-request.ts";

/** With `onEnter` in place of a page of the app, whose session has ended. */
export function Page({ onEnter }: { onEnter?: Enter }) {
  const { next } = searchOf();
  const start = (session: SignedIn) => startSession(session, onEnter);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const [asksCode, setAsksCode] = useState(false);
  const signIn = useRequest(
    (code: string | undefined) => service.auth.signIn({ email, password, ...(code && { code }) }),
    {
      success: start,
      error(error) {
        if (isProblem(error, "two_factor_required")) setAsksCode(true);
        else if (isProblem(error, "wrong_credentials")) setAsksCode(false);
      },
    },
  );
  const signInWithPasskey = useRequest(
    async () => {
      signIn.reset();
      return service.auth.signInWithPasskey(await assertPasskey());
    },
    { success: start },
  );
  useEnterWithSession(onEnter);

  const submit = () => {
    setIsSubmitted(true);
    signInWithPasskey.reset();
    if (email.trim() !== "" && password !== "") signIn.mutate(undefined);
  };
  if (asksCode)
    return (
      <CodeStep
        isBusy={signIn.isPending || signIn.isSuccess}
        error={signIn.error}
        isWrong={isProblem(signIn.error, "two_factor_required") && signIn.variables !== undefined}
        onSubmit={signIn.mutate}
      />
    );
  const problems = fieldProblems(signIn.error);
  const wrongCredentials = isProblem(signIn.error, "wrong_credentials") ? messages.signIn.wrong : undefined;
  return (
    <AuthCard
      title={messages.signIn.title}
      intro={onEnter || (next && next !== "/") ? messages.signIn.toContinue : undefined}
      footer={<SignUpHint />}
    >
      <AuthForm
        submitLabel={messages.signIn.submit}
        isBusy={signIn.isPending || signIn.isSuccess}
        error={signIn.error ?? signInWithPasskey.error}
        fieldCodes={["wrong_credentials"]}
        onSubmit={submit}
        below={
          <>
            {hasPasskeys() && (
              <Button
                variant="default"
                fullWidth
                loading={signInWithPasskey.isPending}
                onClick={() => signInWithPasskey.mutate()}
              >
                {messages.signIn.withPasskey}
              </Button>
            )}
            <Text size="sm" ta="center">
              <AuthLink to="/forgotten-password">{messages.signIn.forgot}</AuthLink>
            </Text>
          </>
        }
      >
        <EmailInput
          value={email}
          onChange={setEmail}
          error={isSubmitted && email.trim() === "" ? common.required : problems.email}
        />
        <PasswordInput
          label={messages.password}
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          error={isSubmitted && password === "" ? common.required : (problems.password ?? wrongCredentials)}
          visibilityToggleButtonProps={{ "aria-label": messages.togglePassword, tabIndex: 0 }}
        />
      </AuthForm>
    </AuthCard>
  );
}

function CodeStep({ isBusy, error, isWrong, onSubmit }: CodeStepProps) {
  const [code, setCode] = useState("");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const rejected = isWrong ? messages.signIn.wrongCode : fieldProblems(error).code;
  const submit = () => {
    setIsSubmitted(true);
    if (code.trim() !== "") onSubmit(code);
  };
  return (
    <AuthCard title={messages.signIn.codeTitle} intro={messages.signIn.codeIntro}>
      <AuthForm
        submitLabel={messages.signIn.submit}
        isBusy={isBusy}
        error={error}
        fieldCodes={["two_factor_required"]}
        onSubmit={submit}
      >
        <TextInput
          label={common.twoFactorCode}
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          maxLength={40}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          error={isSubmitted && code.trim() === "" ? common.required : rejected}
          autoFocus
        />
      </AuthForm>
    </AuthCard>
  );
}

type CodeStepProps = {
  isBusy: boolean;
  error: unknown;
  /** A code was sent and refused. */
  isWrong: boolean;
  onSubmit: (code: string) => void;
};

/** Links to sign-up only where it is open. */
function SignUpHint() {
  const { data: about, error } = useAnswer(() => service.about());
  if (!about && !error) return "\u00a0"; // keeps the height, so that the card does not jump
  if (about?.sign_up === "closed") return messages.signIn.invitationOnly;
  return messages.signIn.noAccount(<AuthLink to="/sign-up">{messages.signIn.signUp}</AuthLink>);
}
