/** Shown while the account is suspended: why, and the way back once it is resumed. */

import { Button, Stack, Text } from "@mantine/core";
import { problemText } from "../../components/problem-text.ts";
import { hasSessionCookie, isSignedOut, isSuspended, service } from "../../service.ts";
import { tellOtherTabs } from "../../session-news.ts";
import { AuthCard } from "./auth-card.tsx";
import { AuthError } from "./auth-error.tsx";
import { messages } from "./messages.tsx";
import { enterApp } from "./session.ts";
import { useAnswer, useRequest } from "./use-request.ts";

export function Page() {
  const check = useAnswer(enterWhenResumed);
  const signOut = useRequest(async () => {
    await service.auth.signOut();
    tellOtherTabs({ kind: "signed-out" });
    window.location.replace("/sign-in");
  });
  return (
    <AuthCard title={messages.suspended.title}>
      <Text role="status" className="breaks">
        {isSuspended(check.error) ? problemText(check.error) : messages.suspended.text}
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

/** Fails while the account is suspended. */
async function enterWhenResumed(): Promise<void> {
  if (!hasSessionCookie) return;
  try {
    await service.auth.session();
    enterApp();
  } catch (error) {
    if (isSignedOut(error)) window.location.replace("/sign-in");
    throw error;
  }
}
