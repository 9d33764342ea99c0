/** Asking for a link to choose a new password with. The answer is the same whether there is such an account. */
import { Button, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { aboutQuery, service } from "../../queries.ts";
import { fieldProblems } from "../../shared/problem-text.ts";
import { AuthCard } from "./auth-card.tsx";
import { AuthForm, EmailInput } from "./auth-form.tsx";
import { AuthLink } from "./auth-link.tsx";
import { MISSING } from "./auth-problem.tsx";

export function Page() {
  const { data: about } = useQuery(aboutQuery);
  const [email, setEmail] = useState("");
  const [isTried, setIsTried] = useState(false);
  const ask = useMutation({ mutationFn: () => service.auth.requestPasswordReset(email) });
  const back = <AuthLink to="/sign-in">Back to signing in</AuthLink>;
  const words = about?.mail === false ? BY_HAND : BY_MAIL;

  if (ask.isSuccess)
    return (
      <AuthCard title={words.askedTitle} footer={back}>
        <Text role="status" className="breaks">
          If there is an account for <strong>{email}</strong>, {words.asked} The link works once, within half
          an hour.
        </Text>
        <Text size="sm" c="dimmed">
          {words.nothing}
        </Text>
        <Button variant="default" onClick={() => ask.reset()}>
          Use another address
        </Button>
      </AuthCard>
    );

  const submit = () => {
    setIsTried(true);
    if (email.trim() !== "") ask.mutate();
  };
  return (
    <AuthCard title="Forgotten your password?" intro={words.intro} footer={back}>
      <AuthForm doIt={words.doIt} isBusy={ask.isPending} error={ask.error} onSubmit={submit}>
        <EmailInput
          value={email}
          onChange={setEmail}
          error={isTried && email.trim() === "" ? MISSING : fieldProblems(ask.error).email}
        />
      </AuthForm>
    </AuthCard>
  );
}

const BY_MAIL = {
  intro: "Tell us the email of your account, and we mail you a link to choose a new password with.",
  doIt: "Mail me a link",
  askedTitle: "Look into your mailbox",
  asked: "a mail with a link is on its way to it.",
  nothing: "Nothing there after a few minutes? Look among the spam.",
};

/** Where no mail goes out, the operator reads the link off the service's output. */
const BY_HAND = {
  intro:
    "This installation sends no mail. Tell us the email of your account, and whoever runs the installation gets a link for you.",
  doIt: "Ask for a link",
  askedTitle: "Now ask whoever runs this",
  asked: "a link to choose a new password with now waits in the service's own output.",
  nothing: "Only whoever runs this installation can read it there. Tell them soon.",
};
