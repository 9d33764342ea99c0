/** Accounts as a dense table, sortable by its columns. */

import type { AccountSort, OperatorAccount, SortOrder } from "@mailvet/contract";
import { Anchor, Badge, Group, Table, Text, UnstyledButton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { formatNumber } from "../../components/number-format.ts";
import { Day } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { AccountStateBadge } from "./account-state.tsx";
import { messages } from "./messages.tsx";

const texts = messages.accounts;

/** Column, its sort key, if any, and whether it is a number. */
const COLUMNS: readonly (readonly [name: string, sort: AccountSort | undefined, isNumber: boolean])[] = [
  [texts.email, "email", false],
  [texts.state, undefined, false],
  [texts.plan, "plan", false],
  [texts.credits, "credits", true],
  [texts.used, "used", true],
  [texts.lastSeen, "last_seen", false],
  [texts.created, "created", false],
];

export function AccountTable({ accounts, sort, order, onSort }: AccountTableProps) {
  return (
    <Table className="stacks" aria-label={texts.title} verticalSpacing={6} highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          {COLUMNS.map(([name, key, isNumber]) => (
            <Table.Th
              key={name}
              scope="col"
              ta={isNumber ? "right" : "left"}
              style={{ whiteSpace: "nowrap" }}
              aria-sort={key && sort === key ? SORTED[order] : undefined}
            >
              {key === undefined ? (
                name
              ) : (
                <UnstyledButton
                  fz="sm"
                  fw={500}
                  onClick={() => onSort(key, sort === key ? OTHER[order] : FIRST[key])}
                >
                  {name}
                  <span aria-hidden="true">{sort === key ? ARROWS[order] : ""}</span>
                </UnstyledButton>
              )}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {accounts.map((account) => (
          <AccountRow key={account.id} account={account} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

type AccountTableProps = {
  accounts: readonly OperatorAccount[];
  sort: AccountSort;
  order: SortOrder;
  onSort: (sort: AccountSort, order: SortOrder) => void;
};

const SORTED = { asc: "ascending", desc: "descending" } as const;
const OTHER = { asc: "desc", desc: "asc" } as const;
const ARROWS = { asc: " ↑", desc: " ↓" } as const;
const FIRST: Readonly<Record<AccountSort, SortOrder>> = {
  email: "asc",
  plan: "asc",
  credits: "desc",
  used: "desc",
  last_seen: "desc",
  created: "desc",
};

const ONE_LINE = { whiteSpace: "nowrap" } as const;

function AccountRow({ account }: { account: OperatorAccount }) {
  const { id, email, plan, is_operator, state, credits } = account;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        <Group gap={6} component="span" display="inline-flex" ta="left">
          <Anchor
            inherit
            className="breaks"
            renderRoot={(props) => (
              <Link {...props} to="/operator/accounts/$accountId" params={{ accountId: id }} />
            )}
          >
            {email}
          </Anchor>
          {is_operator && (
            <Badge size="sm" color="violet">
              {common.operator}
            </Badge>
          )}
        </Group>
      </Table.Th>
      <Table.Td data-name={texts.state}>
        <AccountStateBadge state={state} />
      </Table.Td>
      <Table.Td data-name={texts.plan} style={ONE_LINE}>
        {common.plans[plan]}
      </Table.Td>
      <Table.Td data-name={texts.credits} ta="right" className="tabular">
        <span style={ONE_LINE}>
          {formatNumber(credits.balance)}
          {credits.reserved > 0 && (
            <Text span size="xs" c="dimmed">
              {" "}
              {texts.reserved(credits.reserved)}
            </Text>
          )}
        </span>
      </Table.Td>
      <Table.Td data-name={texts.used} ta="right" className="tabular">
        {formatNumber(account.credits_used_30d)}
      </Table.Td>
      <Table.Td data-name={texts.lastSeen} style={ONE_LINE}>
        <Day at={account.last_seen_at} />
      </Table.Td>
      <Table.Td data-name={texts.created} style={ONE_LINE}>
        <Day at={account.created_at} />
      </Table.Td>
    </Table.Tr>
  );
}
