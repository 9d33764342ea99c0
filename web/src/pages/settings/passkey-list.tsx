/** Passkeys of the account: list, add, rename, remove. To add or remove one takes the password, or a passkey. */

import type { OwnerProof, Passkey } from "@mailvet/contract";
import { Button, Divider, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode, useState } from "react";
import { FormDialog } from "../../components/dialog/form-dialog.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { Loading } from "../../components/loading.tsx";
import { assertPasskey, createPasskey, hasPasskeys } from "../../components/passkey-ceremony.ts";
import { fieldProblems } from "../../components/problem-text.ts";
import { Section } from "../../components/section.tsx";
import { Timestamp } from "../../components/timestamp.tsx";
import { queries, service } from "../../queries.ts";
import { isProblem } from "../sign-in/auth-error.tsx";
import { messages } from "./messages.tsx";
import { PasswordField } from "./password-field.tsx";
import { passkeysQuery } from "./session-queries.ts";

const texts = messages.passkeys;

export function PasskeyList() {
  const { data: passkeys, error, refetch } = useQuery(passkeysQuery);
  const [isAdding, setIsAdding] = useState(false);
  const [toRename, setToRename] = useState<Passkey>();
  const [toRemove, setToRemove] = useState<Passkey>();
  const canProve = hasPasskeys() && passkeys !== undefined && passkeys.length > 0;
  return (
    <Section
      title={texts.title}
      intro={texts.intro}
      actions={hasPasskeys() && <Button onClick={() => setIsAdding(true)}>{texts.add}</Button>}
    >
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!passkeys && !error && <Loading lines={2} />}
      {passkeys?.length === 0 && <Text c="dimmed">{hasPasskeys() ? texts.none : texts.unavailable}</Text>}
      <Stack gap="sm">
        {passkeys?.map((passkey, index) => (
          <Fragment key={passkey.id}>
            {index > 0 && <Divider />}
            <PasskeyRow
              passkey={passkey}
              onRename={() => setToRename(passkey)}
              onRemove={() => setToRemove(passkey)}
            />
          </Fragment>
        ))}
      </Stack>
      {isAdding && <AddPasskey canProve={canProve} onClose={() => setIsAdding(false)} />}
      {toRename && <RenamePasskey passkey={toRename} onClose={() => setToRename(undefined)} />}
      {toRemove && (
        <RemovePasskey passkey={toRemove} canProve={canProve} onClose={() => setToRemove(undefined)} />
      )}
    </Section>
  );
}

function PasskeyRow({ passkey, onRename, onRemove }: PasskeyRowProps) {
  const { name, created_at, last_used_at } = passkey;
  return (
    <Group justify="space-between" gap="sm">
      <div>
        <Text fw={500} className="breaks">
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {texts.details(<Timestamp at={created_at} />, last_used_at && <Timestamp at={last_used_at} />)}
        </Text>
      </div>
      <Group gap="xs">
        <Button variant="default" size="sm" onClick={onRename} aria-label={texts.renameNamed(name)}>
          {texts.rename}
        </Button>
        <Button variant="default" size="sm" onClick={onRemove} aria-label={texts.removeNamed(name)}>
          {texts.remove}
        </Button>
      </Group>
    </Group>
  );
}

type PasskeyRowProps = { passkey: Passkey; onRename: () => void; onRemove: () => void };

type ChangeProps = { canProve: boolean; onClose: () => void };

function AddPasskey({ canProve, onClose }: ChangeProps) {
  const [name, setName] = useState("");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const add = useMutation({
    async mutationFn(proof: Proof) {
      const options = await service.auth.beginPasskey(await proof());
      return service.auth.addPasskey({ name: name.trim(), credential: await createPasskey(options) });
    },
    onSuccess: () => finish(onClose),
  });
  return (
    <ProofDialog
      title={texts.add}
      submitLabel={texts.add}
      isBusy={add.isPending}
      error={add.error}
      canProve={canProve}
      onSubmit={() => setIsSubmitted(true)}
      onProof={(proof) => name.trim() !== "" && add.mutate(proof)}
      onClose={onClose}
    >
      <NameInput name={name} onName={setName} isSubmitted={isSubmitted} error={add.error} />
    </ProofDialog>
  );
}

function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name);
  const [isSubmitted, setIsSubmitted] = useState(false);
  const rename = useMutation({
    mutationFn: () => service.auth.renamePasskey(passkey.id, name.trim()),
    async onSuccess() {
      await queries.invalidateQueries(passkeysQuery);
      onClose();
    },
  });
  const submit = () => {
    setIsSubmitted(true);
    if (name.trim() !== "") rename.mutate();
  };
  return (
    <FormDialog
      title={texts.renameTitle}
      submitLabel={texts.rename}
      isBusy={rename.isPending}
      error={rename.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <NameInput name={name} onName={setName} isSubmitted={isSubmitted} error={rename.error} />
    </FormDialog>
  );
}

function NameInput({ name, onName, isSubmitted, error }: NameInputProps) {
  return (
    <TextInput
      label={texts.name}
      description={texts.nameHint}
      maxLength={100}
      value={name}
      onChange={({ currentTarget }) => onName(currentTarget.value)}
      error={isSubmitted && name.trim() === "" ? texts.nameMissing : fieldProblems(error).name}
      data-autofocus
    />
  );
}

type NameInputProps = { name: string; onName: (name: string) => void; isSubmitted: boolean; error: unknown };

function RemovePasskey({ passkey, canProve, onClose }: ChangeProps & { passkey: Passkey }) {
  const remove = useMutation({
    mutationFn: async (proof: Proof) => service.auth.removePasskey(passkey.id, await proof()),
    onSuccess: () => finish(onClose),
  });
  return (
    <ProofDialog
      title={texts.removeTitle}
      submitLabel={texts.removeSubmit}
      isBusy={remove.isPending}
      error={remove.error}
      canProve={canProve}
      onProof={remove.mutate}
      onClose={onClose}
    >
      <Text>{texts.removeText(passkey.name)}</Text>
    </ProofDialog>
  );
}

/** Also refreshes sessions, and what an operator may see now. */
async function finish(onClose: () => void): Promise<void> {
  await queries.invalidateQueries();
  onClose();
}

type Proof = () => Promise<OwnerProof>;

function ProofDialog({ error, canProve, onSubmit, onProof, children, ...dialog }: ProofDialogProps) {
  const [password, setPassword] = useState("");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const rejected = fieldProblems(error).credential;
  const submit = () => {
    onSubmit?.();
    setIsSubmitted(true);
    if (password !== "") onProof(async () => ({ password }));
  };
  return (
    <FormDialog
      {...dialog}
      error={isProblem(error, "wrong_credentials") ? undefined : rejected ? new Error(rejected) : error}
      onSubmit={submit}
    >
      {children}
      <PasswordField
        value={password}
        onChange={setPassword}
        error={error}
        missing={isSubmitted && password === "" ? texts.passwordMissing : undefined}
      />
      {canProve && (
        <Group>
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              onSubmit?.();
              onProof(async () => ({ credential: await assertPasskey() }));
            }}
          >
            {texts.usePasskey}
          </Button>
        </Group>
      )}
    </FormDialog>
  );
}

type ProofDialogProps = {
  title: string;
  submitLabel: string;
  isBusy: boolean;
  error: unknown;
  /** The account has a passkey that may be used here. */
  canProve: boolean;
  /** Before the password is looked at: fields of the caller can be incomplete as well. */
  onSubmit?: () => void;
  onProof: (proof: Proof) => void;
  onClose: () => void;
  children: ReactNode;
};
