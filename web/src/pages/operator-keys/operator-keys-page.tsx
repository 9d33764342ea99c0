/** Operator keys: list, create, revoke. */

import type { OperatorKey } from "@mailvet/contract";
import { Button, Code, Stack } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { queries, service } from "../../queries.ts";
import { OperatorOnly } from "../operator/operator-only.tsx";
import { CreateOperatorKey } from "./create-operator-key.tsx";
import { messages } from "./messages.tsx";
import { operatorKeysQuery } from "./operator-key-queries.ts";
import { OperatorKeyTable } from "./operator-key-table.tsx";

const HEADER = "X-API-Key";

export function Page() {
  return (
    <OperatorOnly title={messages.title}>
      <OperatorKeys />
    </OperatorOnly>
  );
}

function OperatorKeys() {
  const { data: keys, error, refetch } = useQuery(operatorKeysQuery);
  const [isCreating, setIsCreating] = useState(false);
  const [toRevoke, setToRevoke] = useState<OperatorKey>();
  const create = <Button onClick={() => setIsCreating(true)}>{messages.create}</Button>;
  return (
    <>
      <PageHeader title={messages.title} actions={keys && keys.length > 0 ? create : undefined}>
        {messages.intro(<Code style={{ whiteSpace: "nowrap" }}>{HEADER}</Code>)}
      </PageHeader>
      <Stack gap="lg">
        {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
        {!keys && !error && <Loading />}
        {keys?.length === 0 && (
          <EmptyState title={messages.none} action={create}>
            {messages.noneText}
          </EmptyState>
        )}
        {keys && keys.length > 0 && <OperatorKeyTable keys={keys} onRevoke={setToRevoke} />}
      </Stack>
      {isCreating && <CreateOperatorKey onClose={() => setIsCreating(false)} />}
      {toRevoke && <RevokeOperatorKey operatorKey={toRevoke} onClose={() => setToRevoke(undefined)} />}
    </>
  );
}

function RevokeOperatorKey({ operatorKey, onClose }: { operatorKey: OperatorKey; onClose: () => void }) {
  const revoke = useMutation({
    mutationFn: () => service.operator.keys.revoke(operatorKey.id),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: operatorKeysQuery.queryKey });
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
      {messages.revoke.text(<strong>{operatorKey.name}</strong>, operatorKey.prefix)}
    </ConfirmDialog>
  );
}
