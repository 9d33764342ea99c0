/**
 * Target of the links that confirm an address, once: that of a new account, which is then signed in, or the new one of an
 * account.
 */

import { Button, Text } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { service, sessionQuery } from "../../queries.ts";
import { AuthCard } from "./auth-card.tsx";
import { isProblem } from "./auth-error.tsx";
import { AuthLink } from "./auth-link.tsx";
import { messages } from "./messages.tsx";
import { storeSession } from "./store-session.ts";

export function Page() {
  const { token = "", change } = useSearch({ strict: false });
  return change === undefined ? <NewAccount token={token} /> : <NewEmail token={token} />;
}

function NewEmail({ token }: { token: string }) {
  const { error, isSuccess, refetch } = useQuery(newEmailQuery(token));
  const isExpired = token === "" || isProblem(error, "link_expired");
  const title = isSuccess ? messages.newEmail.done : messages.newEmail.title;
  return (
    <AuthCard
      title={isExpired ? messages.linkExpired : title}
      footer={<AuthLink to="/sign-in">{messages.backToSignIn}</AuthLink>}
    >
      {isExpired && <Text role="alert">{messages.newEmail.expiredText}</Text>}
      {!isExpired && error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!error && !isSuccess && token !== "" && <Loading lines={2} />}
      {isSuccess && <Text role="status">{messages.newEmail.doneText}</Text>}
    </AuthCard>
  );
}

function NewAccount({ token }: { token: string }) {
  const confirmation = useQuery(confirmationQuery(token));
  const { error, data } = confirmation;

  if (token === "" || isProblem(error, "link_expired")) return <LinkExpired />;
  if (error)
    return (
      <AuthCard title={messages.confirm.title}>
        <ErrorAlert error={error} onRetry={() => void confirmation.refetch()} />
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
      <Button component={Link} to="/" fullWidth>
        {messages.confirm.overview}
      </Button>
    </AuthCard>
  );
}

/** A token works once, so it must be sent once: no refetch on mount, focus or reconnect. */
const ONCE = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  retryOnMount: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
};

const confirmationQuery = (token: string) =>
  queryOptions({
    ...ONCE,
    queryKey: ["confirm-email", token],
    enabled: token !== "",
    async queryFn() {
      const signedIn = await service.auth.confirmEmail(token);
      storeSession(signedIn);
      return signedIn;
    },
  });

const newEmailQuery = (token: string) =>
  queryOptions({
    ...ONCE,
    queryKey: ["confirm-new-email", token],
    enabled: token !== "",
    async queryFn() {
      await service.auth.confirmNewEmail(token);
      return true;
    },
  });

/** If this browser used the link before, a session exists. */
function LinkExpired() {
  const { data: session } = useQuery(sessionQuery);
  return (
    <AuthCard
      title={messages.linkExpired}
      footer={messages.confirm.again(<AuthLink to="/sign-up">{messages.confirm.signUpAgain}</AuthLink>)}
    >
      <Text role="alert">{messages.confirm.expiredText}</Text>
      <Button component={Link} to={session ? "/" : "/sign-in"} fullWidth>
        {session ? messages.confirm.overview : messages.confirm.signIn}
      </Button>
    </AuthCard>
  );
}
