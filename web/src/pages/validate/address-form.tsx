/** The address field, and example addresses of the sandbox. */
import { Button, Group, Paper, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { ValidatedForm } from "../../components/validated-form.tsx";
import { common } from "../../messages.ts";
import { mode, rememberTyped, takeTyped } from "../../mode.ts";
import { messages } from "./messages.tsx";

/** Sandbox local parts; each names its verdict. */
const EXAMPLES = [
  "valid",
  "mailbox-not-found",
  "catch-all",
  "greylisted",
  "disposable",
  "role-based",
  "possible-typo",
] as const;

export function AddressForm({
  email,
  isBusy,
  problem,
  onCheck,
}: {
  /** From the URL. */
  email: string;
  isBusy: boolean;
  problem: string | undefined;
  onCheck: (email: string) => void;
}) {
  const [text, setText] = useState(() => takeTyped("address") || email);
  const [isEmpty, setIsEmpty] = useState(false);
  // Not an effect: those run again when a page is shown again after a sign-in in its place.
  const [latest, setLatest] = useState(email);
  if (latest !== email) {
    setLatest(email);
    setText(email);
  }

  const submit = () => {
    setIsEmpty(text.trim() === "");
    if (text.trim() !== "") onCheck(text.trim());
  };
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }}>
      <ValidatedForm onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          <TextInput
            label={messages.form.email}
            placeholder={messages.form.placeholder}
            value={text}
            onChange={({ currentTarget }) => {
              setText(currentTarget.value);
              rememberTyped({ address: currentTarget.value });
            }}
            error={isEmpty ? messages.form.empty : problem}
            size="md"
            type="text"
            inputMode="email"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={1000}
            flex="1 1 260px"
          />
          <Button type="submit" size="md" loading={isBusy}>
            {messages.form.submit(common.price[mode])}
          </Button>
        </Group>
      </ValidatedForm>
      <Stack gap={6} mt="md">
        <Text size="sm" c="dimmed" id="examples">
          {messages.form.examples}
        </Text>
        <Group gap={6} role="group" aria-labelledby="examples">
          {EXAMPLES.map((name) => (
            <Button
              key={name}
              variant="default"
              size="xs"
              h={36}
              px="sm"
              radius="xl"
              disabled={isBusy}
              onClick={() => onCheck(`${name}@mailvet.test`)}
            >
              {name}@
            </Button>
          ))}
        </Group>
      </Stack>
    </Paper>
  );
}
