/** Dialog to change the plan and credits of an account. */

import type { Account, Plan } from "@mailvet/contract";
import { Button, Divider, Group, List, Modal, NativeSelect, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { useFocusReturn } from "../../components/focus-return.ts";
import { Loading } from "../../components/loading.tsx";
import { common } from "../../messages.ts";
import { service } from "../../queries.ts";
import { GrantForm } from "./grant-form.tsx";
import { messages } from "./messages.tsx";
import { accountsChanged, oneAccountQuery } from "./operator-queries.ts";

const PLAN_OPTIONS = Object.entries(common.plans).map(([value, label]) => ({ value, label }));

export function ManageAccount({ accountId, onClose }: { accountId: string; onClose: () => void }) {
  useFocusReturn();
  const { data: account, error, refetch } = useQuery(oneAccountQuery(accountId));
  return (
    <Modal opened onClose={onClose} title={messages.manage.title} size="lg" centered>
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!account && !error && <Loading />}
      {account && (
        <Stack gap="lg">
          <div>
            <Text fw={600} className="breaks">
              {account.email}
            </Text>
            <Text size="sm" c="dimmed" role="status">
              {messages.manage.balance(account.credits.balance, account.credits.reserved)}
            </Text>
          </div>
          <Divider />
          <PlanForm key={account.plan} account={account} />
          <Divider />
          <GrantForm account={account} />
        </Stack>
      )}
    </Modal>
  );
}

function PlanForm({ account }: { account: Account }) {
  const [plan, setPlan] = useState<Plan>(account.plan);
  const change = useMutation({
    mutationFn: () => service.operator.setPlan(account.id, plan),
    onSuccess: accountsChanged,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label={messages.manage.plan}
            description={messages.manage.planHint}
            data={PLAN_OPTIONS}
            value={plan}
            onChange={({ currentTarget }) => setPlan(currentTarget.value as Plan)}
            style={{ flex: 1, minWidth: 220 }}
          />
          <Button type="submit" disabled={plan === account.plan} loading={change.isPending}>
            {messages.manage.changePlan}
          </Button>
        </Group>
        <List size="sm" c="dimmed" aria-label={messages.manage.limits(common.plans[account.plan])}>
          {common.planLimits(account.limits).map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
        {change.error && <ErrorAlert error={change.error} />}
      </Stack>
    </form>
  );
}
