/** Creates a key and shows it once. */

import type { CreatedKey, KeyMode, KeyScope } from "@mailvet/contract";
import { Checkbox, Radio, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../components/form-dialog.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { SecretDialog } from "../../components/secret-dialog.tsx";
import { queries, service } from "../../queries.ts";
import { type Expiry, ExpiryInput, expiresAt, expiryProblem } from "./expiry-input.tsx";
import { keysQuery } from "./key-queries.ts";
import { KeySnippets } from "./key-snippets.tsx";
import { messages } from "./messages.tsx";

export function CreateKey({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedKey>();
  if (!created) return <KeyForm onCreated={setCreated} onClose={onClose} />;
  return (
    <SecretDialog
      title={messages.created.title}
      secret={created.key}
      label={messages.created.label}
      more={<KeySnippets keyText={created.key} />}
      onDone={onClose}
    >
      {messages.created.text(<strong>{created.name}</strong>)}
    </SecretDialog>
  );
}

const SCOPES = Object.keys(messages.scopes) as KeyScope[];

function KeyForm({ onCreated, onClose }: { onCreated: (key: CreatedKey) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  const [mode, setMode] = useState<KeyMode>("live");
  const [scopes, setScopes] = useState<KeyScope[]>(SCOPES);
  const [expiry, setExpiry] = useState<Expiry>({ kind: "never", date: "" });
  const [isSubmitted, setIsSubmitted] = useState(false);
  const create = useMutation({
    mutationFn: () => service.keys.create({ name: name.trim(), mode, scopes, expiresAt: expiresAt(expiry) }),
    async onSuccess(key) {
      onCreated(key);
      await queries.invalidateQueries({ queryKey: keysQuery.queryKey });
    },
  });

  const found = {
    name: name.trim() === "" ? messages.form.nameMissing : undefined,
    scopes: scopes.length === 0 ? messages.form.scopesMissing : undefined,
    expires_at: expiryProblem(expiry),
  };
  const submit = () => {
    setIsSubmitted(true);
    if (Object.values(found).every((problem) => problem === undefined)) create.mutate();
  };
  const rejected = fieldProblems(create.error);
  const problemAt = (field: keyof typeof found) =>
    (isSubmitted ? found[field] : undefined) ?? rejected[field];
  return (
    <FormDialog
      title={messages.create}
      submitLabel={messages.create}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={messages.form.name}
        description={messages.form.nameHint}
        placeholder={messages.form.namePlaceholder}
        maxLength={100}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={problemAt("name")}
        data-autofocus
      />
      <Radio.Group label={messages.form.mode} value={mode} onChange={(value) => setMode(value as KeyMode)}>
        <Stack gap="xs" mt={6}>
          {Object.entries(messages.modes).map(([value, [label, description]]) => (
            <Radio key={value} value={value} label={label} description={description} />
          ))}
        </Stack>
      </Radio.Group>
      <Checkbox.Group
        label={messages.form.scopes}
        description={messages.form.scopesHint}
        value={scopes}
        onChange={(values) => setScopes(values as KeyScope[])}
        error={problemAt("scopes")}
        errorProps={{ role: "alert" }}
      >
        <Stack gap="xs" my={6}>
          {SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={messages.scopes[scope][0]}
              description={messages.scopes[scope][1]}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <ExpiryInput value={expiry} onChange={setExpiry} error={problemAt("expires_at")} />
    </FormDialog>
  );
}
