/** Creates an operator key and shows it once. */

import type { CreatedOperatorKey, OperatorScope } from "@mailvet/contract";
import { Checkbox, Stack, Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../components/form-dialog.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { SecretDialog } from "../../components/secret-dialog.tsx";
import { common } from "../../messages.ts";
import { queries, service } from "../../queries.ts";
import { type Expiry, ExpiryInput, expiresAt, expiryProblem } from "../keys/expiry-input.tsx";
import { messages } from "./messages.tsx";
import { operatorKeysQuery } from "./operator-key-queries.ts";

export function CreateOperatorKey({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<CreatedOperatorKey>();
  if (!created) return <OperatorKeyForm onCreated={setCreated} onClose={onClose} />;
  return (
    <SecretDialog
      title={messages.created.title}
      secret={created.key}
      label={messages.created.label}
      onDone={onClose}
    >
      {messages.created.text(<strong>{created.name}</strong>)}
    </SecretDialog>
  );
}

type OperatorKeyFormProps = { onCreated: (key: CreatedOperatorKey) => void; onClose: () => void };

function OperatorKeyForm({ onCreated, onClose }: OperatorKeyFormProps) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<OperatorScope[]>([]);
  const [ranges, setRanges] = useState("");
  const [expiry, setExpiry] = useState<Expiry>({ kind: "90", date: "" });
  const [isSubmitted, setIsSubmitted] = useState(false);
  const create = useMutation({
    mutationFn: () =>
      service.operator.keys.create({
        name: name.trim(),
        scopes,
        allowedRanges: ranges.split(/[\s,]+/).filter((range) => range !== ""),
        expiresAt: expiresAt(expiry),
      }),
    async onSuccess(key) {
      onCreated(key);
      await queries.invalidateQueries({ queryKey: operatorKeysQuery.queryKey });
    },
  });
  const found = {
    name: name.trim() === "" ? common.required : undefined,
    scopes: scopes.length === 0 ? messages.form.scopesMissing : undefined,
    expires_at: expiryProblem(expiry),
  };
  const rejected = fieldProblems(create.error);
  const problemAt = (field: keyof typeof found) =>
    (isSubmitted ? found[field] : undefined) ?? rejected[field];
  const rangeProblem = Object.entries(rejected).find(([field]) => field.startsWith("allowed_ranges"))?.[1];
  const submit = () => {
    setIsSubmitted(true);
    if (Object.values(found).every((problem) => problem === undefined)) create.mutate();
  };
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
      <Checkbox.Group
        label={messages.form.scopes}
        description={messages.form.scopesHint}
        value={scopes}
        onChange={(values) => setScopes(values as OperatorScope[])}
        error={problemAt("scopes")}
        errorProps={{ role: "alert" }}
      >
        <Stack gap="xs" my={6}>
          {Object.entries(messages.scopes).map(([scope, description]) => (
            <Checkbox key={scope} value={scope} label={scope} description={description} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Textarea
        label={messages.form.ranges}
        description={messages.form.rangesHint}
        placeholder={messages.form.rangesPlaceholder}
        autosize
        minRows={2}
        value={ranges}
        onChange={({ currentTarget }) => setRanges(currentTarget.value)}
        error={rangeProblem}
      />
      <ExpiryInput value={expiry} onChange={setExpiry} error={problemAt("expires_at")} />
    </FormDialog>
  );
}
