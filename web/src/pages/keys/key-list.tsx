/** API keys, usable ones first. */

import type { ApiKey } from "@mailvet/contract";
import { Badge, Button, Code, Group, Paper, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { queries, service } from "../../queries.ts";
import { type KeyState, keysQuery, stateOf } from "./key-queries.ts";
import { messages } from "./messages.tsx";

const ORDER: readonly KeyState[] = ["usable", "expired", "revoked"];

export function KeyList({ keys }: { keys: readonly ApiKey[] }) {
  const [toRevoke, setToRevoke] = useState<ApiKey>();
  const sorted = keys.toSorted((one, other) => ORDER.indexOf(stateOf(one)) - ORDER.indexOf(stateOf(other)));
  return (
    <>
      <Stack gap="sm" component="ul" className="plain-list" aria-label={messages.list}>
        {sorted.map((key) => (
          <KeyCard key={key.id} apiKey={key} onRevoke={() => setToRevoke(key)} />
        ))}
      </Stack>
      {toRevoke && <RevokeKey apiKey={toRevoke} onClose={() => setToRevoke(undefined)} />}
    </>
  );
}

function KeyCard({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) {
  const state = stateOf(apiKey);
  const isUsable = state === "usable";
  const greyed = isUsable ? {} : { c: "dimmed", td: "line-through" };
  return (
    <Paper
      component="li"
      withBorder
      radius="md"
      p="md"
      {...(isUsable ? {} : { bg: "var(--mailvet-ground)" })}
    >
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={6} style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text fw={500} className="breaks" {...greyed}>
              {apiKey.name}
            </Text>
            <Badge color={apiKey.mode === "live" ? "brand" : "violet"}>
              {messages.modes[apiKey.mode][0]}
            </Badge>
            {state === "revoked" && <Badge color="gray">{messages.card.revoked}</Badge>}
            {state === "expired" && <Badge color="yellow">{messages.card.expired}</Badge>}
          </Group>
          <Group gap="xs">
            <Code>{apiKey.prefix}…</Code>
            <Text size="sm" c="dimmed">
              {apiKey.scopes.map((scope) => messages.scopes[scope][0]).join(" · ")}
            </Text>
          </Group>
          <Text size="sm" c="dimmed">
            {messages.card.created(<Timestamp at={apiKey.created_at} />)} ·{" "}
            {apiKey.last_used_at
              ? messages.card.lastUsed(<Timestamp at={apiKey.last_used_at} />)
              : messages.card.neverUsed}{" "}
            · {expiryText(apiKey)}
          </Text>
        </Stack>
        {isUsable && (
          <Button
            variant="default"
            size="sm"
            onClick={onRevoke}
            aria-label={messages.card.revokeKey(apiKey.name)}
          >
            {messages.card.revoke}
          </Button>
        )}
      </Group>
    </Paper>
  );
}

function expiryText(apiKey: ApiKey): ReactNode {
  const { card } = messages;
  if (apiKey.revoked_at) return card.revokedAt(<Timestamp at={apiKey.revoked_at} />);
  if (!apiKey.expires_at) return card.noExpiry;
  const at = <Timestamp at={apiKey.expires_at} />;
  return stateOf(apiKey) === "expired" ? card.expiredAt(at) : card.expiresAt(at);
}

function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const revoke = useMutation({
    mutationFn: () => service.keys.revoke(apiKey.id),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: keysQuery.queryKey });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={messages.revoke.title}
      confirmLabel={messages.revoke.confirm}
      cancelLabel={messages.revoke.cancel}
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      {messages.revoke.text(<strong>{apiKey.name}</strong>, apiKey.prefix)}
    </ConfirmDialog>
  );
}
