/** Credits to give or to take back, with a note that stands in the account's ledger. */
import type { Account } from "@mailvet/contract";
import { Button, Group, NumberInput, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { service } from "../../queries.ts";
import { ErrorAlert } from "../../shared/error-alert.tsx";
import { plural } from "../../shared/number-format.ts";
import { fieldProblems } from "../../shared/problem-text.ts";
import { ValidatedForm } from "../../shared/validated-form.tsx";
import { isProblem } from "../sign-in/auth-problem.tsx";
import { accountsChanged } from "./operator-queries.ts";

/** As the service has it. */
const MAX_GRANT = 1_000_000_000;

export function GrantForm({ account }: { account: Account }) {
  const [direction, setDirection] = useState<"give" | "take">("give");
  const [count, setCount] = useState<number | string>("");
  const [note, setNote] = useState("");
  const [isTried, setIsTried] = useState(false);
  const amount = Number(count) * (direction === "give" ? 1 : -1);
  const grant = useMutation({
    mutationFn: () =>
      service.operator.grant(account.id, { amount, ...(note.trim() ? { note: note.trim() } : {}) }),
    async onSuccess() {
      setCount("");
      setNote("");
      setIsTried(false);
      await accountsChanged();
    },
  });
  const isWhole = Number.isInteger(amount) && amount !== 0;
  const submit = () => {
    setIsTried(true);
    if (isWhole) grant.mutate();
  };
  const refused = fieldProblems(grant.error);
  const tooMany = isProblem(grant.error, "insufficient_credits")
    ? `There are only ${plural(grant.error.available ?? account.credits.balance, "credit")} to take.`
    : undefined;
  return (
    <ValidatedForm onSubmit={submit}>
      <Stack gap="sm">
        <SegmentedControl
          aria-label="Give or take credits"
          data={[
            { value: "give", label: "Give credits" },
            { value: "take", label: "Take back" },
          ]}
          value={direction}
          onChange={(value) => {
            setDirection(value as "give" | "take");
            grant.reset();
          }}
        />
        <NumberInput
          label="Credits"
          min={1}
          max={MAX_GRANT}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          hideControls
          value={count}
          onChange={setCount}
          error={isTried && !isWhole ? "Please say how many." : (refused.amount ?? tooMany)}
        />
        <TextInput
          label="Note"
          description="Shown in the account's ledger. May stay empty."
          maxLength={200}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
          error={refused.note}
        />
        {grant.error && !tooMany && Object.keys(refused).length === 0 && <ErrorAlert error={grant.error} />}
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed" role="status">
            {grant.data && `Done. The balance is ${plural(grant.data.balance_after, "credit")}.`}
          </Text>
          <Button type="submit" loading={grant.isPending}>
            {direction === "give" ? "Give them" : "Take them back"}
          </Button>
        </Group>
      </Stack>
    </ValidatedForm>
  );
}
