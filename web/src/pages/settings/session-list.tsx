/** Active sessions of the account, each with a sign-out button. */

import type { Session } from "@mailvet/contract";
import { Badge, Button, Divider, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { ConfirmDialog } from "../../components/dialog/confirm-dialog.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { Section } from "../../components/section.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { leaveAfterSignOut, queries, service } from "../../queries.ts";
import { browserName } from "./browser-name.ts";
import { messages } from "./messages.tsx";
import { sessionsQuery } from "./session-queries.ts";

export function SessionList() {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);
  const [toEnd, setToEnd] = useState<Session>();
  return (
    <Section title={messages.sessions.title} intro={messages.sessions.intro}>
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!sessions && !error && <Loading lines={3} />}
      <Stack gap="sm">
        {sessions?.map((session, index) => (
          <Fragment key={session.id}>
            {index > 0 && <Divider />}
            <SessionRow session={session} onEnd={() => setToEnd(session)} />
          </Fragment>
        ))}
      </Stack>
      {toEnd && <EndSession session={toEnd} onClose={() => setToEnd(undefined)} />}
    </Section>
  );
}

function SessionRow({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const name = browserName(session.user_agent);
  return (
    <Group justify="space-between" gap="sm">
      <div>
        <Group gap="xs">
          <Text fw={500} className="breaks" title={session.user_agent}>
            {name}
          </Text>
          {session.is_current && <Badge color="green">{messages.sessions.current}</Badge>}
        </Group>
        <Text size="sm" c="dimmed" className="breaks">
          {messages.sessions.details(
            session.ip,
            <Timestamp at={session.created_at} />,
            <Timestamp at={session.last_seen_at} />,
          )}
        </Text>
      </div>
      <Button
        variant="default"
        size="sm"
        onClick={onEnd}
        aria-label={
          session.is_current ? messages.sessions.signOutHere : messages.sessions.signOutOf(name, session.ip)
        }
      >
        {messages.sessions.signOut}
      </Button>
    </Group>
  );
}

function EndSession({ session, onClose }: { session: Session; onClose: () => void }) {
  const end = useMutation({
    mutationFn: () => service.auth.endSession(session.id),
    async onSuccess() {
      if (session.is_current) leaveAfterSignOut();
      else await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      onClose();
    },
  });
  const name = browserName(session.user_agent);
  return (
    <ConfirmDialog
      isOpen
      title={session.is_current ? messages.sessions.confirmHere : messages.sessions.confirm}
      confirmLabel={messages.sessions.signOut}
      isBusy={end.isPending}
      error={end.error}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      {session.is_current ? messages.sessions.textHere : messages.sessions.text(name, session.ip)}
    </ConfirmDialog>
  );
}
