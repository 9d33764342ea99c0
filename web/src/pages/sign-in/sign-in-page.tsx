/** Signing in, and then on to where one wanted to go. */
import { PasswordInput, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { aboutQuery, service, sessionQuery } from "../../queries.ts";
import { fieldProblems } from "../../shared/problem-text.ts";
import { AuthCard } from "./auth-card.tsx";
import { AuthForm, EmailInput } from "./auth-form.tsx";
import { AuthLink } from "./auth-link.tsx";
import { isProblem, MISSING } from "./auth-problem.tsx";
import { nextPath } from "./next-path.ts";
import { storeSession } from "./store-session.ts";

export function Page() {
  const { next } = useSearch({ strict: false });
  const { history } = useRouter();
  const { data: session } = useQuery(sessionQuery);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [isTried, setIsTried] = useState(false);
  const signIn = useMutation({
    mutationFn: () => service.auth.signIn({ email, password }),
    onSuccess: storeSession,
  });
  // Also for whoever comes here signed in already.
  useEffect(() => {
    if (session) history.replace(nextPath(next, window.location.origin));
  }, [session, next, history]);

  const submit = () => {
    setIsTried(true);
    if (email.trim() !== "" && password !== "") signIn.mutate();
  };
  const problems = fieldProblems(signIn.error);
  const doNotFit = isProblem(signIn.error, "wrong_credentials") ? signIn.error.detail : undefined;
  return (
    <AuthCard
      title="Sign in"
      intro={next && next !== "/" ? "Sign in, and you are back where you were." : undefined}
      footer={<HowToJoin />}
    >
      <AuthForm
        doIt="Sign in"
        isBusy={signIn.isPending}
        error={signIn.error}
        besideFields={["wrong_credentials"]}
        onSubmit={submit}
        below={
          <Text size="sm" ta="center">
            <AuthLink to="/forgotten-password">Forgotten your password?</AuthLink>
          </Text>
        }
      >
        <EmailInput
          value={email}
          onChange={setEmail}
          error={isTried && email.trim() === "" ? MISSING : problems.email}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          maxLength={200}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          error={isTried && password === "" ? MISSING : (problems.password ?? doNotFit)}
          visibilityToggleButtonProps={{ "aria-label": "Show or hide the password", tabIndex: 0 }}
        />
      </AuthForm>
    </AuthCard>
  );
}

/** Nobody is led to a form that will decline them. */
function HowToJoin() {
  const { data: about, isPending } = useQuery(aboutQuery);
  if (isPending) return <>&nbsp;</>; // the card does not jump when it is known
  if (about?.sign_up === "closed") return <>Accounts are opened by whoever runs this installation.</>;
  return (
    <>
      No account yet? <AuthLink to="/sign-up">Sign up</AuthLink>
    </>
  );
}
