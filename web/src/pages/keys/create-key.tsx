/** Making a key, and showing it this once. */
import type { CreatedKey, KeyMode, KeyScope } from "@mailvet/contract";
import { Checkbox, Radio, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { queries, service } from "../../queries.ts";
import { FormDialog } from "../../shared/form-dialog.tsx";
import { fieldProblems } from "../../shared/problem-text.ts";
import { SecretDialog } from "../../shared/secret-dialog.tsx";
import { type Expiry, ExpiryInput, expiresAt, expiryProblem } from "./expiry-input.tsx";
import { keysQuery } from "./key-queries.ts";
import { KeySnippets } from "./key-snippets.tsx";
import { MODES, SCOPE_NAMES, SCOPES } from "./key-words.ts";

export function CreateKey({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<CreatedKey>();
  if (!made) return <KeyForm onMade={setMade} onClose={onClose} />;
  return (
    <SecretDialog
      title="Your new key"
      secret={made.key}
      label="the key"
      more={<KeySnippets keyText={made.key} />}
      onDone={onClose}
    >
      This is the only time that the key for <strong>{made.name}</strong> is shown: we keep no copy. Put it
      where your program finds it, and nobody else.
    </SecretDialog>
  );
}

function KeyForm({ onMade, onClose }: { onMade: (key: CreatedKey) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [mode, setMode] = useState<KeyMode>("live");
  const [scopes, setScopes] = useState<KeyScope[]>(SCOPE_NAMES);
  const [expiry, setExpiry] = useState<Expiry>({ kind: "never", date: "" });
  const [isTried, setIsTried] = useState(false);
  const make = useMutation({
    mutationFn: () => service.keys.create({ name: name.trim(), mode, scopes, expiresAt: expiresAt(expiry) }),
    async onSuccess(key) {
      onMade(key);
      await queries.invalidateQueries({ queryKey: keysQuery.queryKey });
    },
  });

  const found = {
    name: name.trim() === "" ? "Please give it a name." : undefined,
    scopes: scopes.length === 0 ? "Without any of these the key is good for nothing." : undefined,
    expires_at: expiryProblem(expiry),
  };
  const submit = () => {
    setIsTried(true);
    if (Object.values(found).every((problem) => problem === undefined)) make.mutate();
  };
  const refused = fieldProblems(make.error);
  const problemAt = (field: keyof typeof found) => (isTried ? found[field] : undefined) ?? refused[field];
  return (
    <FormDialog
      title="Make a key"
      submitLabel="Make the key"
      isBusy={make.isPending}
      error={make.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="The program that will use it, so that you know it again."
        placeholder="Newsletter sign-up form"
        maxLength={100}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={problemAt("name")}
        data-autofocus
      />
      <Radio.Group label="Kind" value={mode} onChange={(value) => setMode(value as KeyMode)}>
        <Stack gap="xs" mt={6}>
          {Object.entries(MODES).map(([value, { name: label, means }]) => (
            <Radio key={value} value={value} label={label} description={means} />
          ))}
        </Stack>
      </Radio.Group>
      <Checkbox.Group
        label="Scopes"
        description="What the key allows. The fewer, the less there is to lose."
        value={scopes}
        onChange={(values) => setScopes(values as KeyScope[])}
        error={problemAt("scopes")}
        errorProps={{ role: "alert" }}
      >
        <Stack gap="xs" my={6}>
          {SCOPE_NAMES.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={SCOPES[scope].name}
              description={SCOPES[scope].allows}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <ExpiryInput value={expiry} onChange={setExpiry} error={problemAt("expires_at")} />
    </FormDialog>
  );
}
