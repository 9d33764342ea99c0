/** The keys there are, those that work first. */
import type { ApiKey } from "@mailvet/contract";
import { Badge, Button, Code, Group, Paper, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { queries, service } from "../../queries.ts";
import { ConfirmDialog } from "../../shared/confirm-dialog.tsx";
import { Timestamp } from "../../shared/timestamp.tsx";
import { type KeyState, keysQuery, stateOf } from "./key-queries.ts";
import { MODES, SCOPES } from "./key-words.ts";

const ORDER: readonly KeyState[] = ["usable", "expired", "revoked"];

export function KeyList({ keys }: { keys: readonly ApiKey[] }) {
  const [toRevoke, setToRevoke] = useState<ApiKey>();
  const sorted = keys.toSorted((one, other) => ORDER.indexOf(stateOf(one)) - ORDER.indexOf(stateOf(other)));
  return (
    <>
      <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: "none" }} aria-label="API keys">
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
            <Text fw={600} className="breaks" {...greyed}>
              {apiKey.name}
            </Text>
            <Badge color={apiKey.mode === "live" ? "cyan" : "grape"}>{MODES[apiKey.mode].name}</Badge>
            {state === "revoked" && <Badge color="gray">Revoked</Badge>}
            {state === "expired" && <Badge color="yellow">Expired</Badge>}
          </Group>
          <Group gap="xs">
            <Code>{apiKey.prefix}…</Code>
            <Text size="sm" c="dimmed">
              {apiKey.scopes.map((scope) => SCOPES[scope].name).join(" · ")}
            </Text>
          </Group>
          <Text size="sm" c="dimmed">
            Made <Timestamp at={apiKey.created_at} /> ·{" "}
            {apiKey.last_used_at ? (
              <>
                last used <Timestamp at={apiKey.last_used_at} />
              </>
            ) : (
              "never used"
            )}{" "}
            · <Ending apiKey={apiKey} />
          </Text>
        </Stack>
        {isUsable && (
          <Button variant="default" size="sm" onClick={onRevoke} aria-label={`Revoke ${apiKey.name}`}>
            Revoke
          </Button>
        )}
      </Group>
    </Paper>
  );
}

function Ending({ apiKey }: { apiKey: ApiKey }) {
  if (apiKey.revoked_at)
    return (
      <>
        revoked <Timestamp at={apiKey.revoked_at} />
      </>
    );
  if (!apiKey.expires_at) return <>does not expire</>;
  return (
    <>
      {stateOf(apiKey) === "expired" ? "expired" : "expires"} <Timestamp at={apiKey.expires_at} />
    </>
  );
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
      title="Revoke this key?"
      confirmLabel="Revoke the key"
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      Programs that use <strong>{apiKey.name}</strong> ({apiKey.prefix}…) are refused within a second. It
      cannot be undone.
    </ConfirmDialog>
  );
}
