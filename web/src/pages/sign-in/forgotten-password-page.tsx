/** Requests a password reset link. The response does not reveal whether the account exists. */

import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { fieldProblems } from "../../components/problem-text.ts";
import { common } from "../../messages.ts";
import { service } from "../../service.ts";
import { AuthCard } from "./auth-card.tsx";
import { AuthForm, EmailInput } from "./auth-form.tsx";
import { AuthLink } from "./auth-link.tsx";
import { messages } from "./messages.tsx";
import { useAnswer, useRequest } from "./use-request.ts";

export function Page() {
  const { data: about } = useAnswer(() => service.about());
  const [email, setEmail] = useState("");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const request = useRequest(() => service.auth.requestPasswordReset(email).then(() => true));
  const back = <AuthLink to="/sign-in">{messages.backToSignIn}</AuthLink>;
  const texts = about?.mail === false ? messages.forgot.byAdministrator : messages.forgot.byMail;

  if (request.isSuccess)
    return (
      <AuthCard title={texts.doneTitle} footer={back}>
        <Text role="status" className="breaks">
          {texts.done(<strong>{email}</strong>)}
        </Text>
        <Text size="sm" c="dimmed">
          {texts.hint}
        </Text>
        <Button variant="default" onClick={() => request.reset()}>
          {messages.forgot.otherEmail}
        </Button>
      </AuthCard>
    );

  const submit = () => {
    setIsSubmitted(true);
    if (email.trim() !== "") request.mutate();
  };
  return (
    <AuthCard title={messages.forgot.title} intro={texts.intro} footer={back}>
      <AuthForm submitLabel={texts.submit} isBusy={request.isPending} error={request.error} onSubmit={submit}>
        <EmailInput
          value={email}
          onChange={setEmail}
          error={isSubmitted && email.trim() === "" ? common.required : fieldProblems(request.error).email}
        />
      </AuthForm>
    </AuthCard>
  );
}
