/** Operator keys of the installation, newest first. */

import type { OperatorKey } from "@mailvet/contract";
import { Badge, Button, Code, Paper, Table, Text } from "@mantine/core";
import { TableHead } from "../../components/table-head.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { stateOf } from "../keys/key-queries.ts";
import { messages } from "./messages.tsx";

export function OperatorKeyTable({ keys, onRevoke }: OperatorKeyTableProps) {
  const { name, scopes, allowed, used, state } = messages.columns;
  return (
    <Paper withBorder radius="md" px="md">
      <Table className="stacks" aria-label={messages.title}>
        <TableHead columns={[name, scopes, allowed, used, state]}>
          <Table.Td />
        </TableHead>
        <Table.Tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} operatorKey={key} onRevoke={() => onRevoke(key)} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

type OperatorKeyTableProps = { keys: readonly OperatorKey[]; onRevoke: (key: OperatorKey) => void };

function KeyRow({ operatorKey: key, onRevoke }: { operatorKey: OperatorKey; onRevoke: () => void }) {
  const { scopes, allowed, used, state } = messages.columns;
  const isUsable = stateOf(key) === "usable";
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} className="breaks">
        <div style={{ textAlign: "start" }}>
          {key.name} <Code>{key.prefix}…</Code>
          <Text size="xs" c="dimmed" className="breaks">
            {messages.createdBy(
              key.created_by ?? messages.deletedOperator,
              <Timestamp at={key.created_at} />,
            )}
          </Text>
        </div>
      </Table.Th>
      <Table.Td data-name={scopes} className="breaks">
        {key.scopes.join(", ")}
      </Table.Td>
      <Table.Td data-name={allowed} className="breaks">
        {key.allowed_ranges.length > 0 ? key.allowed_ranges.join(", ") : messages.everywhere}
      </Table.Td>
      <Table.Td data-name={used}>
        {key.last_used_at ? <Timestamp at={key.last_used_at} /> : messages.never}
      </Table.Td>
      <Table.Td data-name={state}>
        <Expiry operatorKey={key} />
      </Table.Td>
      <Table.Td ta="right">
        {isUsable && (
          <Button variant="default" size="xs" onClick={onRevoke} aria-label={messages.revoke.of(key.name)}>
            {messages.revoke.button}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Expiry({ operatorKey: key }: { operatorKey: OperatorKey }) {
  const state = stateOf(key);
  if (state === "revoked") return <Badge color="gray">{messages.revoked}</Badge>;
  if (state === "expired") return <Badge color="yellow">{messages.expired}</Badge>;
  return key.expires_at ? <Timestamp at={key.expires_at} /> : messages.never;
}
