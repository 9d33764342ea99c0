/** The one field of the page, and examples to fill it with. */
import { Button, Group, Paper, Stack, Text, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { ValidatedForm } from "../../shared/validated-form.tsx";

/** Each names its own outcome, so every kind of verdict can be seen. */
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
  /** What the page's address says. */
  email: string;
  isBusy: boolean;
  problem: string | undefined;
  onCheck: (email: string) => void;
}) {
  const [text, setText] = useState(email);
  const [isEmpty, setIsEmpty] = useState(false);
  useEffect(() => setText(email), [email]);

  const submit = () => {
    setIsEmpty(text.trim() === "");
    if (text.trim() !== "") onCheck(text.trim());
  };
  return (
    <Paper withBorder p={{ base: "md", sm: "lg" }}>
      <ValidatedForm onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Email address"
            placeholder="ann@example.com"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={isEmpty ? "Type an address first." : problem}
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
            Check (1 credit)
          </Button>
        </Group>
      </ValidatedForm>
      <Stack gap={6} mt="md">
        <Text size="sm" c="dimmed" id="examples">
          Or try an example. For addresses at mailvet.test nobody is asked; each costs one credit like any
          other.
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
