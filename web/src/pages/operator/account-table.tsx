/** Accounts, sorted by the service. */

import type { AccountSort, OperatorAccount, SortOrder } from "@mailvet/contract";
import { Anchor, Badge, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { formatNumber } from "../../components/number-format.ts";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { AccountStateBadge } from "./account-state.tsx";
import { messages } from "./messages.tsx";

const texts = messages.accounts;

export function AccountTable({ accounts, sort, order, onSort }: AccountTableProps) {
  return (
    <DataTable
      label={texts.title}
      rows={accounts}
      rowKey={({ id }) => id}
      columns={COLUMNS}
      sorted={{ name: sort, order }}
      onSort={(name, next) => onSort(name as AccountSort, next)}
    />
  );
}

type AccountTableProps = {
  accounts: readonly OperatorAccount[];
  sort: AccountSort;
  order: SortOrder;
  onSort: (sort: AccountSort, order: SortOrder) => void;
};

type AccountColumn = Column<OperatorAccount> & { sortBy?: AccountSort };

const COLUMNS: readonly AccountColumn[] = [
  { name: texts.email, cell: (account) => <Email account={account} />, sortBy: "email" },
  { name: texts.state, width: 120, cell: ({ state }) => <AccountStateBadge state={state} /> },
  { name: texts.plan, width: 112, cell: ({ plan }) => common.plans[plan], sortBy: "plan", isWide: true },
  {
    name: texts.credits,
    width: 168,
    cell: ({ credits }) => <Credits credits={credits} />,
    sortBy: "credits",
    first: "desc",
    isNumber: true,
  },
  {
    name: texts.used,
    width: 100,
    cell: (account) => formatNumber(account.credits_used_30d),
    sortBy: "used",
    first: "desc",
    isNumber: true,
  },
  {
    name: texts.lastSeen,
    width: 140,
    cell: (account) => <Timestamp at={account.last_seen_at} />,
    sortBy: "last_seen",
    first: "desc",
  },
  {
    name: texts.created,
    width: 124,
    cell: (account) => <Timestamp at={account.created_at} />,
    sortBy: "created",
    first: "desc",
    isWide: true,
  },
];

function Email({ account: { id, email, is_operator } }: { account: OperatorAccount }) {
  return (
    <>
      <Anchor
        inherit
        renderRoot={(props) => (
          <Link {...props} to="/operator/accounts/$accountId" params={{ accountId: id }} />
        )}
      >
        {email}
      </Anchor>{" "}
      {is_operator && (
        <Badge component="span" size="sm" color="violet">
          {common.operator}
        </Badge>
      )}
    </>
  );
}

function Credits({ credits: { balance, reserved } }: Pick<OperatorAccount, "credits">) {
  return (
    <span {...(reserved > 0 && { title: common.reservedForJobs(reserved) })}>
      {formatNumber(balance)}
      {reserved > 0 && (
        <Text span size="xs" c="dimmed">
          {" "}
          {texts.reserved(reserved)}
        </Text>
      )}
    </span>
  );
}
