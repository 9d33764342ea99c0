/** Shown while the account is suspended: why, and the way back once it is resumed. */

import { Button, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { queries, service, sessionQuery, suspension } from "../../queries.ts";
import { AuthCard } from "./auth-card.tsx";
import { AuthError, isProblem } from "./auth-error.tsx";
import { messages } from "./messages.tsx";
import { storeSession } from "./store-session.ts";

export function Page() {
  const navigate = useNavigate();
  const check = useMutation({
    mutationFn: () => service.auth.session(),
    async onSuccess(session) {
      storeSession(session);
      await navigate({ to: "/" });
    },
    async onError(error) {
      if (isProblem(error, "not_signed_in")) await navigate({ to: "/sign-in" });
    },
  });
  const signOut = useMutation({
    mutationFn: () => service.auth.signOut(),
    async onSuccess() {
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, null);
      await navigate({ to: "/sign-in" });
    },
  });
  return (
    <AuthCard title={messages.suspended.title}>
      <Text role="status" className="breaks">
        {suspension() ?? messages.suspended.text}
      </Text>
      <Text c="dimmed" size="sm">
        {messages.suspended.help}
      </Text>
      <AuthError error={signOut.error ?? check.error} fieldCodes={["account_suspended", "not_signed_in"]} />
      <Stack gap="sm">
        <Button fullWidth loading={check.isPending} onClick={() => check.mutate()}>
          {messages.suspended.check}
        </Button>
        <Button fullWidth variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
          {messages.suspended.signOut}
        </Button>
      </Stack>
    </AuthCard>
  );
}
