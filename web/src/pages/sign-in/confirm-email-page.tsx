/** Target of the link in the confirmation email: confirms the address once and signs in. */

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
  const { token = "" } = useSearch({ strict: false });
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
const confirmationQuery = (token: string) =>
  queryOptions({
    queryKey: ["confirm-email", token],
    enabled: token !== "",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retryOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    async queryFn() {
      const signedIn = await service.auth.confirmEmail(token);
      storeSession(signedIn);
      return signedIn;
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
