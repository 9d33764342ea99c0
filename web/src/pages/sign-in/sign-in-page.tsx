/** Signing in, and then on to where one wanted to go. */
import { Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useState } from "react";
import { fieldProblems } from "../../parts/problem-text.ts";
import { service, sessionQuery } from "../../queries.ts";
import { AuthCard } from "./auth-card.tsx";
import { AuthLink } from "./auth-link.tsx";
import { AuthProblem, isProblem, MISSING } from "./auth-problem.tsx";
import { nextPath } from "./next-path.ts";
import { welcome } from "./welcome.ts";

export function Page() {
  const { next } = useSearch({ strict: false });
  const { history } = useRouter();
  const { data: session } = useQuery(sessionQuery);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [isTried, setIsTried] = useState(false);
  const signIn = useMutation({
    mutationFn: () => service.auth.signIn({ email, password }),
    onSuccess: welcome,
  });
  // Also for whoever comes here signed in already.
  useEffect(() => {
    if (session) history.replace(nextPath(next, window.location.origin));
  }, [session, next, history]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (email.trim() !== "" && password !== "") signIn.mutate();
  };
  const problems = fieldProblems(signIn.error);
  const doNotFit = isProblem(signIn.error, "wrong_credentials") ? signIn.error.detail : undefined;
  return (
    <AuthCard
      title="Sign in"
      intro={next && next !== "/" ? "Sign in, and you are back where you were." : undefined}
      footer={
        <>
          No account yet? <AuthLink to="/sign-up">Sign up</AuthLink>
        </>
      }
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <AuthProblem error={signIn.error} besideFields={["wrong_credentials"]} />
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            maxLength={254}
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
            error={isTried && email.trim() === "" ? MISSING : problems.email}
            autoFocus
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
          <Button type="submit" fullWidth loading={signIn.isPending}>
            Sign in
          </Button>
          <Group justify="center">
            <Text size="sm">
              <AuthLink to="/forgotten-password">Forgotten your password?</AuthLink>
            </Text>
          </Group>
        </Stack>
      </form>
    </AuthCard>
  );
}
