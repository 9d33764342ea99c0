/** Export and closing of the account. Both ask for the password again, and for a code where sign-in does. */

import { Button, Divider, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog } from "../../components/dialog/dialog.tsx";
import { Section } from "../../components/section.tsx";
import { downloadOnceWritten, leaveAfterSignOut, service } from "../../queries.ts";
import { messages } from "./messages.tsx";
import { CodeField, ProofForm, twoFactorQuery } from "./two-factor.tsx";

const texts = messages.data;

export function AccountData() {
  const [isClosing, setIsClosing] = useState(false);
  return (
    <Section title={texts.title} intro={texts.intro}>
      <Export />
      <Divider />
      <div>
        <Title order={3} size="h5">
          {texts.close}
        </Title>
        <Text size="sm" c="dimmed">
          {texts.closeText}
        </Text>
      </div>
      <Group>
        <Button variant="default" color="red" onClick={() => setIsClosing(true)}>
          {texts.close}
        </Button>
      </Group>
      {isClosing && <CloseDialog onClose={() => setIsClosing(false)} />}
    </Section>
  );
}

/** The password and, where it is enabled, the code of two-factor sign-in. */
function useProof() {
  const { data: twoFactor } = useQuery(twoFactorQuery);
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const codeFor = (error: unknown) =>
    twoFactor?.enabled && <CodeField value={code} onChange={setCode} error={error} />;
  const clear = () => {
    setPassword("");
    setCode("");
  };
  const inputs = { password, onPassword: setPassword };
  return { proof: { password, ...(code && { code }) }, inputs, codeFor, clear };
}

function Export() {
  const { proof, inputs, codeFor, clear } = useProof();
  const begin = useMutation({
    mutationFn: async () => {
      const { token } = await service.auth.beginExport(proof);
      clear();
      await downloadOnceWritten(`/api/v1/account/export?token=${encodeURIComponent(token)}`);
    },
  });
  return (
    <ProofForm
      submitLabel={texts.export}
      error={begin.error}
      isBusy={begin.isPending}
      onSubmit={begin.mutate}
      {...inputs}
    >
      {codeFor(begin.error)}
      {(begin.isPending || begin.isSuccess) && (
        <Text size="sm" role="status">
          {begin.isPending ? texts.exportPrepared : texts.exportStarted}
        </Text>
      )}
    </ProofForm>
  );
}

function CloseDialog({ onClose }: { onClose: () => void }) {
  const { proof, inputs, codeFor } = useProof();
  const close = useMutation({
    mutationFn: () => service.auth.closeAccount(proof),
    onSuccess: leaveAfterSignOut,
  });
  return (
    <Dialog onClose={onClose} title={texts.closeTitle}>
      <Stack>
        <Text size="sm">{texts.closeWarning}</Text>
        <ProofForm
          submitLabel={texts.closeConfirm}
          color="red"
          error={close.error}
          isBusy={close.isPending}
          onSubmit={close.mutate}
          {...inputs}
        >
          {codeFor(close.error)}
        </ProofForm>
      </Stack>
    </Dialog>
  );
}
