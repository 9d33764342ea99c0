/** Page of API keys or operator keys: header, table with revocation, dialog to create one. */

import { Badge, Button, Code, Stack } from "@mantine/core";
import { type UseQueryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ConfirmDialog } from "../../components/dialog/confirm-dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { TableLoading } from "../../components/loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { queries } from "../../queries.ts";
import { type KeyState, stateOf } from "./key-queries.ts";
import { keyTexts } from "./messages.tsx";

const HEADER = "X-API-Key";
const ORDER: readonly KeyState[] = ["usable", "expired", "revoked"];

export type AnyKey = {
  id: string;
  name: string;
  prefix: string;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
};

export function KeyManager<K extends AnyKey>({
  texts,
  query,
  columns,
  revoke,
  dialog,
  notice,
  children,
}: KeyManagerProps<K>) {
  const { data: keys, error, refetch } = useQuery(query);
  const [isCreating, setIsCreating] = useState(false);
  const [toRevoke, setToRevoke] = useState<K>();
  const create = <Button onClick={() => setIsCreating(true)}>{keyTexts.create}</Button>;
  return (
    <>
      <PageHeader title={texts.title} actions={keys && keys.length > 0 ? create : undefined}>
        {texts.intro(<Code style={{ whiteSpace: "nowrap" }}>{HEADER}</Code>)}
      </PageHeader>
      <Stack gap="lg">
        {notice}
        {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
        {!keys && !error && <TableLoading />}
        {keys?.length === 0 && (
          <EmptyState title={texts.none} action={create}>
            {texts.noneText}
          </EmptyState>
        )}
        {keys && keys.length > 0 && (
          <DataTable
            label={texts.title}
            rows={keys.toSorted((one, other) => rank(one) - rank(other))}
            rowKey={({ id }) => id}
            columns={[...nameColumns<K>(), ...columns, ...timeColumns<K>()]}
            isDim={(key) => stateOf(key) !== "usable"}
            menu={(key) => ({
              name: key.name,
              actions:
                stateOf(key) === "usable"
                  ? [{ label: keyTexts.revoke.button, isDangerous: true, onClick: () => setToRevoke(key) }]
                  : [],
            })}
          />
        )}
        {(keys || error) && children?.(keys)}
      </Stack>
      {isCreating && dialog(() => setIsCreating(false))}
      {toRevoke && (
        <RevokeKey
          apiKey={toRevoke}
          revoke={async () => {
            await revoke(toRevoke.id);
            await queries.invalidateQueries({ queryKey: query.queryKey });
          }}
          onClose={() => setToRevoke(undefined)}
        />
      )}
    </>
  );
}

type KeyManagerProps<K extends AnyKey> = {
  texts: { title: string; intro: (header: ReactNode) => ReactNode; none: string; noneText: string };
  query: UseQueryOptions<K[], Error, K[], string[]>;
  /** Between the name and the times. */
  columns: readonly Column<K>[];
  revoke: (id: string) => Promise<unknown>;
  dialog: (close: () => void) => ReactNode;
  notice?: ReactNode;
  /** Below the table, when its height is known; the keys are undefined if they could not be loaded. */
  children?: (keys: readonly K[] | undefined) => ReactNode;
};

const rank = (key: AnyKey) => ORDER.indexOf(stateOf(key));

const nameColumns = <K extends AnyKey>(): readonly Column<K>[] => [
  {
    name: keyTexts.columns.name,
    width: "21%",
    cell: (key) => <Name apiKey={key} />,
    sortBy: ({ name }) => name,
  },
  { name: keyTexts.columns.prefix, width: 136, cell: ({ prefix }) => <Code>{prefix}…</Code> },
];

const timeColumns = <K extends AnyKey>(): readonly Column<K>[] => [
  {
    name: keyTexts.columns.lastUsed,
    width: 130,
    cell: ({ last_used_at: at }) => (at ? <Timestamp at={at} /> : keyTexts.never),
    sortBy: ({ last_used_at }) => last_used_at,
    first: "desc",
  },
  {
    name: keyTexts.columns.created,
    width: 110,
    cell: ({ created_at }) => <Timestamp at={created_at} />,
    sortBy: ({ created_at }) => created_at,
    first: "desc",
    isWide: true,
  },
  {
    name: keyTexts.columns.expires,
    width: 104,
    cell: (key) => <Expires apiKey={key} />,
  },
];

function Expires({ apiKey: { expires_at: at, revoked_at } }: { apiKey: AnyKey }) {
  if (revoked_at) return common.none;
  return at ? <Timestamp at={at} /> : keyTexts.never;
}

function Name({ apiKey }: { apiKey: AnyKey }) {
  const state = stateOf(apiKey);
  return (
    <>
      <span title={apiKey.name}>{apiKey.name}</span>{" "}
      {state !== "usable" && (
        <Badge component="span" size="sm" color={state === "expired" ? "yellow" : "gray"}>
          {keyTexts[state]}
        </Badge>
      )}
    </>
  );
}

type RevokeKeyProps = { apiKey: AnyKey; revoke: () => Promise<unknown>; onClose: () => void };

function RevokeKey({ apiKey, revoke, onClose }: RevokeKeyProps) {
  const revocation = useMutation({ mutationFn: revoke, onSuccess: onClose });
  return (
    <ConfirmDialog
      isOpen
      title={keyTexts.revoke.title}
      confirmLabel={keyTexts.revoke.confirm}
      cancelLabel={keyTexts.revoke.cancel}
      isBusy={revocation.isPending}
      error={revocation.error}
      onConfirm={() => revocation.mutate()}
      onClose={onClose}
    >
      {keyTexts.revoke.text(<strong>{apiKey.name}</strong>, apiKey.prefix)}
    </ConfirmDialog>
  );
}
