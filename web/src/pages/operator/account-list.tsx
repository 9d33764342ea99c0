/** Accounts, each with a way to its plan and credits. */

import type { Account } from "@mailvet/contract";
import { Badge, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { common } from "../../messages.ts";
import { plural } from "../../shared/number-format.ts";
import { Timestamp } from "../../shared/timestamp.tsx";

export function AccountList({ accounts, onManage }: AccountListProps) {
  return (
    <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: "none" }} aria-label="Accounts">
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
            {account.is_operator && <Badge color="grape">Operator</Badge>}
          </Group>
          <Text size="sm" c="dimmed" className="tabular">
            {plural(balance, "credit")}
            {reserved > 0 && `, ${plural(reserved, "more", "more")} held for jobs`} · since{" "}
            <Timestamp at={account.created_at} />
          </Text>
        </Stack>
        <Button
          variant="default"
          size="sm"
          onClick={onManage}
          aria-label={`Plan and credits of ${account.email}`}
        >
          Plan and credits
        </Button>
      </Group>
    </Paper>
  );
}
