/** Asking for a link to choose a new password with. The answer is the same whether there is such an account. */
import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { fieldProblems } from "../../parts/problem-text.ts";
import { service } from "../../queries.ts";
import { AuthCard } from "./auth-card.tsx";
import { AuthLink } from "./auth-link.tsx";
import { AuthProblem, MISSING } from "./auth-problem.tsx";

export function Page() {
  const [email, setEmail] = useState("");
  const [isTried, setIsTried] = useState(false);
  const ask = useMutation({ mutationFn: () => service.auth.requestPasswordReset(email) });
  const back = <AuthLink to="/sign-in">Back to signing in</AuthLink>;

  if (ask.isSuccess)
    return (
      <AuthCard title="Look into your mailbox" footer={back}>
        <Text role="status" className="breaks">
          If there is an account for <strong>{email}</strong>, a mail with a link is on its way to it. The
          link works once, within half an hour.
        </Text>
        <Text size="sm" c="dimmed">
          Nothing there after a few minutes? Look among the spam. An installation that sends no mail leaves
          the link with its operator.
        </Text>
        <Button variant="default" onClick={() => ask.reset()}>
          Use another address
        </Button>
      </AuthCard>
    );

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (email.trim() !== "") ask.mutate();
  };
  return (
    <AuthCard
      title="Forgotten your password?"
      intro="Tell us the email of your account, and we mail you a link to choose a new password with."
      footer={back}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <AuthProblem error={ask.error} />
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            maxLength={254}
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
            error={isTried && email.trim() === "" ? MISSING : fieldProblems(ask.error).email}
            autoFocus
          />
          <Button type="submit" fullWidth loading={ask.isPending}>
            Mail me a link
          </Button>
        </Stack>
      </form>
    </AuthCard>
  );
}
