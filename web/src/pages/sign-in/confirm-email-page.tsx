/**
 * Target of the links that confirm an address, once: that of a new account, which is then signed in, or the new one of an
 * account.
 */

import { Button, Text } from "@mantine/core";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { service } from "../../service.ts";
import { tellOtherTabs } from "../../session-news.ts";
import { AuthCard } from "./auth-card.tsx";
import { isProblem } from "./auth-error.tsx";
import { AuthLink } from "./auth-link.tsx";
import { messages } from "./messages.tsx";
import { findSession, searchOf } from "./session.ts";
import { WaitingForApproval } from "./sign-up-page.tsx";
import { useAnswer } from "./use-request.ts";

export function Page() {
  const { token = "", change } = searchOf();
  return change === undefined ? <NewAccount token={token} /> : <NewEmail token={token} />;
}

function NewEmail({ token }: { token: string }) {
  const { error, isSuccess, mutate: retry } = useAnswer(() => confirmNewEmail(token));
  const isExpired = token === "" || isProblem(error, "link_expired");
  const title = isSuccess ? messages.newEmail.done : messages.newEmail.title;
  return (
    <AuthCard
      title={isExpired ? messages.linkExpired : title}
      footer={<AuthLink to="/sign-in">{messages.backToSignIn}</AuthLink>}
    >
      {isExpired && <Text role="alert">{messages.newEmail.expiredText}</Text>}
      {!isExpired && error ? <ErrorAlert error={error} onRetry={retry} /> : null}
      {!error && !isSuccess && token !== "" && <Loading lines={2} />}
      {isSuccess && <Text role="status">{messages.newEmail.doneText}</Text>}
    </AuthCard>
  );
}

function NewAccount({ token }: { token: string }) {
  const { error, data, mutate: retry } = useAnswer(() => confirmEmail(token));
  const { data: about } = useAnswer(() => service.about());

  if (token === "" || isProblem(error, "link_expired")) return <LinkExpired />;
  if (isProblem(error, "account_suspended") && about?.sign_up === "approval") return <WaitingForApproval />;
  if (error)
    return (
      <AuthCard title={messages.confirm.title}>
        <ErrorAlert error={error} onRetry={retry} />
      </AuthCard>
    );
  if (!data)
    return (
      <AuthCard title={messages.confirm.title}>
        <Loading lines={2} />
      </AuthCard>
    );
  return (
    <AuthCard title={messages.confirm.done}>
      <Text role="status" className="breaks">
        {messages.confirm.doneText(<strong>{data.account.email}</strong>)}
      </Text>
      <Button component="a" href="/" fullWidth>
        {messages.confirm.overview}
      </Button>
    </AuthCard>
  );
}

async function confirmEmail(token: string) {
  if (token === "") return undefined;
  const signedIn = await service.auth.confirmEmail(token);
  tellOtherTabs({ kind: "signed-in", accountId: signedIn.account.id });
  return signedIn;
}

async function confirmNewEmail(token: string) {
  if (token === "") return undefined;
  await service.auth.confirmNewEmail(token);
  return true;
}

/** If this browser used the link before, a session exists. */
function LinkExpired() {
  const { data: session } = useAnswer(findSession);
  return (
    <AuthCard
      title={messages.linkExpired}
      footer={messages.confirm.again(<AuthLink to="/sign-up">{messages.confirm.signUpAgain}</AuthLink>)}
    >
      <Text role="alert">{messages.confirm.expiredText}</Text>
      <Button component="a" href={session ? "/" : "/sign-in"} fullWidth>
        {session ? messages.confirm.overview : messages.confirm.signIn}
      </Button>
    </AuthCard>
  );
}
