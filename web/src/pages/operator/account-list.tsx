/** List of accounts, each with a button for its plan and credits. */

import type { Account } from "@mailvet/contract";
import { Badge, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { Timestamp } from "../../components/timestamp.tsx";
import { common } from "../../messages.ts";
import { messages } from "./messages.tsx";

export function AccountList({ accounts, onManage }: AccountListProps) {
  return (
    <Stack gap="sm" component="ul" className="plain-list" aria-label={messages.accounts.title}>
      {accounts.map((account) => (
        <AccountCard key={account.id} account={account} onManage={() => onManage(account)} />
      ))}
    </Stack>
  );
}

type AccountListProps = { accounts: readonly Account[]; onManage: (account: Account) => void };

function AccountCard({ account, onManage }: { account: Account; onManage: () => void }) {
  const { balance, reserved } = account.credits;
  return (
    <Paper component="li" withBorder radius="md" p="md">
      <Group justify="space-between" gap="sm">
        <Stack gap={4} style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text fw={600} className="breaks">
              {account.email}
            </Text>
            <Badge>{common.plans[account.plan]}</Badge>
            {account.is_operator && <Badge color="grape">{common.operator}</Badge>}
          </Group>
          <Text size="sm" c="dimmed" className="tabular">
            {messages.accounts.balance(balance, reserved)} ·{" "}
            {messages.accounts.created(<Timestamp at={account.created_at} />)}
          </Text>
        </Stack>
        <Button
          variant="default"
          size="sm"
          onClick={onManage}
          aria-label={messages.accounts.manageOf(account.email)}
        >
          {messages.accounts.manage}
        </Button>
      </Group>
    </Paper>
  );
}
