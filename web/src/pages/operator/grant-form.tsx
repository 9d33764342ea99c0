/** Grants or deducts credits, with a note for the account's ledger. */

import "@mantine/core/styles/FloatingIndicator.layer.css";
import "@mantine/core/styles/SegmentedControl.layer.css";
import type { Account } from "@mailvet/contract";
import { Button, Group, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { ValidatedForm } from "../../components/validated-form.tsx";
import { isWholeNumber, WholeNumberInput } from "../../components/whole-number-input.tsx";
import { service } from "../../queries.ts";
import { isProblem } from "../sign-in/auth-error.tsx";
import { messages } from "./messages.tsx";
import { accountsChanged } from "./operator-queries.ts";

export function GrantForm({ account }: { account: Account }) {
  const [direction, setDirection] = useState<"grant" | "deduct">("grant");
  const [count, setCount] = useState("");
  const [note, setNote] = useState("");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const amount = Number(count) * (direction === "grant" ? 1 : -1);
  const grant = useMutation({
    mutationFn: () =>
      service.operator.grant(account.id, { amount, ...(note.trim() ? { note: note.trim() } : {}) }),
    async onSuccess() {
      setCount("");
      setNote("");
      setIsSubmitted(false);
      await accountsChanged();
    },
  });
  const hasAmount = isWholeNumber(count) && amount !== 0;
  const submit = () => {
    setIsSubmitted(true);
    if (hasAmount) grant.mutate();
  };
  const rejected = fieldProblems(grant.error);
  const tooMany = isProblem(grant.error, "insufficient_credits")
    ? messages.grant.tooMany(grant.error.available ?? account.credits.balance)
    : undefined;
  return (
    <ValidatedForm onSubmit={submit}>
      <Stack gap="sm">
        <SegmentedControl
          aria-label={messages.grant.direction}
          data={[
            { value: "grant", label: messages.grant.grant },
            { value: "deduct", label: messages.grant.deduct },
          ]}
          value={direction}
          onChange={(value) => {
            setDirection(value as "grant" | "deduct");
            grant.reset();
          }}
        />
        <WholeNumberInput
          label={messages.grant.credits}
          value={count}
          onChange={setCount}
          error={isSubmitted && !hasAmount ? messages.grant.amountMissing : (rejected.amount ?? tooMany)}
        />
        <TextInput
          label={messages.grant.note}
          description={messages.grant.noteHint}
          maxLength={200}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
          error={rejected.note}
        />
        {grant.error && !tooMany && Object.keys(rejected).length === 0 && <ErrorAlert error={grant.error} />}
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed" role="status">
            {grant.data && messages.grant.done(grant.data.balance_after)}
          </Text>
          <Button type="submit" loading={grant.isPending}>
            {direction === "grant" ? messages.grant.submitGrant : messages.grant.submitDeduct}
          </Button>
        </Group>
      </Stack>
    </ValidatedForm>
  );
}
