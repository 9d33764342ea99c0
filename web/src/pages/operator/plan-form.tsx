/** Changes the plan of an account, and shows its limits. */

import type { OperatorAccount, Plan } from "@mailvet/contract";
import { Button, Group, List, NativeSelect, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { common } from "../../messages.ts";
import { service } from "../../queries.ts";
import { messages } from "./messages.tsx";
import { accountsChanged } from "./operator-queries.ts";

const PLAN_OPTIONS = Object.entries(common.plans).map(([value, label]) => ({ value, label }));

export function PlanForm({ account }: { account: OperatorAccount }) {
  const [chosen, setChosen] = useState<Plan>();
  const plan = chosen ?? account.plan;
  const change = useMutation({
    mutationFn: () => service.operator.setPlan(account.id, plan),
    async onSuccess() {
      await accountsChanged();
      setChosen(undefined);
    },
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
            aria-label={messages.manage.plan}
            description={messages.manage.planHint}
            data={PLAN_OPTIONS}
            value={plan}
            onChange={({ currentTarget }) => setChosen(currentTarget.value as Plan)}
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
