/** Entries of the audit log, newest first. */

import { Text } from "@mantine/core";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import type { AuditScope, ShownEntry } from "./audit-queries.ts";
import { messages } from "./messages.tsx";

const { columns } = messages;

export function AuditTable({ entries, scope }: { entries: readonly ShownEntry[]; scope: AuditScope }) {
  return (
    <DataTable
      label={messages.title}
      rows={entries}
      rowKey={({ id }) => id}
      columns={COLUMNS.filter(({ name }) => scope === "installation" || name !== columns.account)}
    />
  );
}

const COLUMNS: readonly Column<ShownEntry>[] = [
  { name: columns.action, cell: (entry) => <Action entry={entry} /> },
  { name: columns.account, width: 176, cell: (entry) => <Account entry={entry} /> },
  { name: columns.actor, width: 192, cell: (entry) => <Actor entry={entry} /> },
  { name: columns.network, width: 124, cell: ({ network }) => network ?? common.none, isWide: true },
  { name: columns.time, width: 200, cell: ({ created_at }) => <Timestamp at={created_at} isExact /> },
];

function Action({ entry: { action, details } }: { entry: ShownEntry }) {
  const texts = Object.entries(details).map(([name, value]) => messages.detail(name, value));
  return (
    <span {...(texts.length > 0 && { title: texts.join(" · ") })}>
      {messages.actions[action] ?? action}
      <Text span inherit c="dimmed" fw={400}>
        {texts.map((text) => ` · ${text}`)}
      </Text>
    </span>
  );
}

function Account({ entry: { account_email, account_id } }: { entry: ShownEntry }) {
  return <>{account_email ?? (account_id ? messages.shortId(account_id) : messages.noAccount)}</>;
}

function Actor({ entry: { actor, actor_email: email } }: { entry: ShownEntry }) {
  const id = actor.key_id ?? actor.session_id;
  const kind = messages.actors[actor.kind];
  const isNamed = actor.is_operator && email;
  return (
    <span {...(id && { title: id })}>
      {isNamed ? messages.asOperator(kind) : kind}
      {id && (
        <Text span inherit c="dimmed">
          {" "}
          {isNamed ? email : messages.shortId(id)}
        </Text>
      )}
    </span>
  );
}
