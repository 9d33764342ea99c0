/** Entries of the audit log, newest first. On a phone each row is a block of lines. */

import { Paper, Table, Text } from "@mantine/core";
import { TableHead } from "../../components/table-head.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import type { AuditScope, ShownEntry } from "./audit-queries.ts";
import { messages } from "./messages.tsx";

export function AuditTable({ entries, scope }: { entries: readonly ShownEntry[]; scope: AuditScope }) {
  const { time, action, actor, account, network } = messages.columns;
  const hasAccounts = scope === "installation";
  return (
    <Paper withBorder radius="md" px="md">
      <Table className="stacks tabular" fz="sm" verticalSpacing={4} aria-label={messages.title}>
        <TableHead columns={[time, action, ...(hasAccounts ? [account] : []), actor, network]} />
        <Table.Tbody>
          {entries.map((entry) => (
            <Table.Tr key={entry.id}>
              <Table.Td data-name={time} style={{ whiteSpace: "nowrap" }}>
                <Timestamp at={entry.created_at} />
              </Table.Td>
              <Table.Td data-name={action} className="breaks">
                <div>
                  {messages.actions[entry.action] ?? entry.action}
                  <Details details={entry.details} />
                </div>
              </Table.Td>
              {hasAccounts && (
                <Table.Td data-name={account} className="breaks">
                  {entry.account_email ??
                    (entry.account_id ? messages.shortId(entry.account_id) : messages.noAccount)}
                </Table.Td>
              )}
              <Table.Td data-name={actor} className="breaks">
                <Actor entry={entry} />
              </Table.Td>
              <Table.Td data-name={network} className="breaks">
                {entry.network ?? common.none}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function Details({ details }: Pick<ShownEntry, "details">) {
  const texts = Object.entries(details).map(([name, value]) => messages.detail(name, value));
  if (texts.length === 0) return null;
  return (
    <Text size="xs" c="dimmed" className="breaks">
      {texts.join(" · ")}
    </Text>
  );
}

function Actor({ entry: { actor, actor_email: email } }: { entry: ShownEntry }) {
  const id = actor.key_id ?? actor.session_id;
  const kind = messages.actors[actor.kind];
  const isNamed = actor.is_operator && email;
  return (
    <div>
      {isNamed ? messages.asOperator(kind) : kind}
      {id && (
        <Text size="xs" c="dimmed" className="breaks" title={id}>
          {isNamed ? email : messages.shortId(id)}
        </Text>
      )}
    </div>
  );
}
