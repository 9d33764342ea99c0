/** Where the link in the first mail leads to: confirms the address on arrival, once, and signs in. */
import { Button, Text } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { service, sessionQuery } from "../../queries.ts";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { Loading } from "../../shared/loading.tsx";
import { AuthCard } from "./auth-card.tsx";
import { AuthLink } from "./auth-link.tsx";
import { isProblem } from "./auth-problem.tsx";
import { storeSession } from "./store-session.ts";

export function Page() {
  const { token = "" } = useSearch({ strict: false });
  const confirmation = useQuery(confirmationQuery(token));
  const { error, data } = confirmation;

  if (token === "" || isProblem(error, "link_expired")) return <LinkExpired />;
  if (error)
    return (
      <AuthCard title="Confirming your email">
        <ErrorAlert error={error} onRetry={() => void confirmation.refetch()} />
      </AuthCard>
    );
  if (!data)
    return (
      <AuthCard title="Confirming your email">
        <Loading lines={2} />
      </AuthCard>
    );
  return (
    <AuthCard title="Your email is confirmed">
      <Text role="status" className="breaks">
        The account of <strong>{data.account.email}</strong> is ready, and you are signed in.
      </Text>
      <Button component={Link} to="/" fullWidth>
        Go to the overview
      </Button>
    </AuthCard>
  );
}

/** A token works once, so it is sent once: however often the page is drawn, looked at again or come back to. */
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

/** It may have been this very browser that used it: then one is signed in. */
function LinkExpired() {
  const { data: session } = useQuery(sessionQuery);
  return (
    <AuthCard
      title="This link no longer works"
      footer={
        <>
          Not confirmed yet? <AuthLink to="/sign-up">Sign up again</AuthLink> for a new link.
        </>
      }
    >
      <Text role="alert">
        It works once, within a day. If you have opened it before, your email is confirmed.
      </Text>
      <Button component={Link} to={session ? "/" : "/sign-in"} fullWidth>
        {session ? "Go to the overview" : "Sign in"}
      </Button>
    </AuthCard>
  );
}
