/** Dialog that creates an API key or an operator key, and shows it once. */

import "@mantine/core/styles/Checkbox.layer.css";
import { Checkbox, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { FormDialog } from "../../components/dialog/form-dialog.tsx";
import { SecretDialog } from "../../components/dialog/secret-dialog.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { queries } from "../../queries.ts";
import { type Expiry, ExpiryInput, expiresAt, expiryProblem } from "./expiry-input.tsx";
import { keyTexts } from "./messages.tsx";

/** What every key has. */
export type KeyDraft<S extends string> = { name: string; scopes: S[]; expiresAt: Date | undefined };

export function KeyDialog<S extends string>({ more, onClose, title, ...form }: KeyDialogProps<S>) {
  const [created, setCreated] = useState<NewKey>();
  if (!created) return <KeyForm {...form} onCreated={setCreated} onClose={onClose} />;
  return (
    <SecretDialog
      title={title}
      secret={created.key}
      label={keyTexts.created.label}
      more={more?.(created.key)}
      onDone={onClose}
    >
      {keyTexts.created.text(<strong>{created.name}</strong>)}
    </SecretDialog>
  );
}

type NewKey = { key: string; name: string };

type KeyFormProps<S extends string> = {
  /** Label and description of each scope. */
  scopes: readonly (readonly [scope: S, label: string, description: string])[];
  initialScopes: readonly S[];
  initialExpiry: Expiry["kind"];
  namePlaceholder: string;
  create: (draft: KeyDraft<S>) => Promise<NewKey>;
  queryKey: readonly unknown[];
  /** Further fields before and after the scopes, with the problems found by the service. */
  before?: ReactNode;
  after?: (rejected: Record<string, string>) => ReactNode;
  onClose: () => void;
};

type KeyDialogProps<S extends string> = KeyFormProps<S> & {
  /** Of the dialog with the key. */
  title: string;
  /** Below the key, such as example code. */
  more?: (key: string) => ReactNode;
};

function KeyForm<S extends string>({
  scopes: choices,
  initialScopes,
  initialExpiry,
  namePlaceholder,
  create,
  queryKey,
  before,
  after,
  onCreated,
  onClose,
}: KeyFormProps<S> & { onCreated: (key: NewKey) => void }) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly S[]>(initialScopes);
  const [expiry, setExpiry] = useState<Expiry>({ kind: initialExpiry, date: "" });
  const [isSubmitted, setIsSubmitted] = useState(false);
  const creation = useMutation({
    mutationFn: () => create({ name: name.trim(), scopes: [...scopes], expiresAt: expiresAt(expiry) }),
    async onSuccess(key) {
      onCreated(key);
      await queries.invalidateQueries({ queryKey });
    },
  });
  const found = {
    name: name.trim() === "" ? keyTexts.form.nameMissing : undefined,
    scopes: scopes.length === 0 ? keyTexts.form.scopesMissing : undefined,
    expires_at: expiryProblem(expiry),
  };
  const submit = () => {
    setIsSubmitted(true);
    if (Object.values(found).every((problem) => problem === undefined)) creation.mutate();
  };
  const rejected = fieldProblems(creation.error);
  const problemAt = (field: keyof typeof found) =>
    (isSubmitted ? found[field] : undefined) ?? rejected[field];
  return (
    <FormDialog
      title={keyTexts.create}
      submitLabel={keyTexts.create}
      isBusy={creation.isPending}
      error={creation.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={keyTexts.form.name}
        description={keyTexts.form.nameHint}
        placeholder={namePlaceholder}
        maxLength={100}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={problemAt("name")}
        data-autofocus
      />
      {before}
      <Checkbox.Group
        label={keyTexts.form.scopes}
        description={keyTexts.form.scopesHint}
        value={[...scopes]}
        onChange={(values) => setScopes(values as S[])}
        error={problemAt("scopes")}
        errorProps={{ role: "alert" }}
      >
        <Stack gap="xs" my={6}>
          {choices.map(([scope, label, description]) => (
            <Checkbox key={scope} value={scope} label={label} description={description} />
          ))}
        </Stack>
      </Checkbox.Group>
      {after?.(rejected)}
      <ExpiryInput value={expiry} onChange={setExpiry} error={problemAt("expires_at")} />
    </FormDialog>
  );
}
