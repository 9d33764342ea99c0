/** Two-factor sign-in: set up with a QR code, replace the recovery codes, disable. */

import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { encode } from "uqr";
import { CopyableCode } from "../../components/copyable-code.tsx";
import { SecretDialog } from "../../components/dialog/secret-dialog.tsx";
import { ErrorAlert } from "../../components/error-alert.tsx";
import { BlockLoading } from "../../components/loading.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { Section } from "../../components/section.tsx";
import { ValidatedForm } from "../../components/validated-form.tsx";
import { common } from "../../messages.ts";
import { queries, service } from "../../queries.ts";
import { AuthError } from "../sign-in/auth-error.tsx";
import { messages } from "./messages.tsx";
import { PasswordField } from "./password-field.tsx";
import { passkeysQuery } from "./session-queries.ts";

const texts = messages.twoFactor;

export const twoFactorQuery = queryOptions({
  queryKey: ["two-factor"],
  queryFn: () => service.auth.twoFactor(),
});

export function TwoFactor() {
  const { data: status, error, refetch } = useQuery(twoFactorQuery);
  const { data: passkeys } = useQuery(passkeysQuery);
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>();
  return (
    <Section title={texts.title} intro={texts.intro}>
      {error && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      {!status && !error && <BlockLoading height={118} />}
      {status?.required && !status.enabled && passkeys?.length === 0 && (
        <Alert color="yellow" variant="light">
          {texts.required}
        </Alert>
      )}
      {status && !status.enabled && <SetUp onEnabled={setRecoveryCodes} />}
      {status?.enabled && (
        <>
          <Text role="status">{texts.enabled(status.recovery_codes_left)}</Text>
          <Text size="sm">{texts.change}</Text>
          <Change onReplaced={setRecoveryCodes} />
        </>
      )}
      {recoveryCodes && (
        <SecretDialog
          title={texts.codesTitle}
          secret={recoveryCodes.join("\n")}
          label={texts.codesLabel}
          onDone={() => setRecoveryCodes(undefined)}
        >
          {texts.codesText}
        </SecretDialog>
      )}
    </Section>
  );
}

/** The password, then the QR code and a first code of the app. */
function SetUp({ onEnabled }: { onEnabled: (recoveryCodes: readonly string[]) => void }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const begin = useMutation({
    mutationFn: () => service.auth.beginTwoFactor(password),
    onSuccess: () => setPassword(""),
  });
  const confirm = useMutation({
    mutationFn: () => service.auth.confirmTwoFactor(code),
    async onSuccess({ recovery_codes }) {
      onEnabled(recovery_codes);
      await queries.invalidateQueries();
    },
  });
  if (!begin.data)
    return (
      <ProofForm
        submitLabel={texts.setUp}
        error={begin.error}
        isBusy={begin.isPending}
        onSubmit={begin.mutate}
        password={password}
        onPassword={setPassword}
      />
    );
  return (
    <ProofForm
      submitLabel={texts.enable}
      error={confirm.error}
      isBusy={confirm.isPending}
      onSubmit={confirm.mutate}
    >
      <Text size="sm">{texts.scan}</Text>
      <QrCode text={begin.data.uri} />
      <Text size="sm">{texts.type}</Text>
      <CopyableCode text={begin.data.secret} label={texts.secretLabel} />
      <CodeField value={code} onChange={setCode} error={confirm.error} autoFocus />
    </ProofForm>
  );
}

/** Both take the password and a code: new recovery codes, or no two-factor sign-in any more. */
function Change({ onReplaced }: { onReplaced: (recoveryCodes: readonly string[]) => void }) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const replace = useMutation({
    mutationFn: () => service.auth.replaceRecoveryCodes({ password, code }),
    onSuccess({ recovery_codes }) {
      setPassword("");
      setCode("");
      onReplaced(recovery_codes);
      return queries.invalidateQueries({ queryKey: twoFactorQuery.queryKey });
    },
  });
  const disable = useMutation({
    mutationFn: () => service.auth.disableTwoFactor({ password, code }),
    onSuccess: () => queries.invalidateQueries({ queryKey: twoFactorQuery.queryKey }),
  });
  const error = replace.error ?? disable.error;
  return (
    <ProofForm
      submitLabel={texts.replaceCodes}
      error={error}
      isBusy={replace.isPending}
      onSubmit={() => {
        disable.reset();
        replace.mutate();
      }}
      other={{
        label: texts.disable,
        isBusy: disable.isPending,
        onSubmit() {
          replace.reset();
          disable.mutate();
        },
      }}
      password={password}
      onPassword={setPassword}
    >
      <CodeField value={code} onChange={setCode} error={error} />
    </ProofForm>
  );
}

type ProofFormProps = {
  submitLabel: string;
  color?: string;
  error: unknown;
  isBusy: boolean;
  onSubmit: () => void;
  /** Something else that the same proof is for. */
  other?: { label: string; isBusy: boolean; onSubmit: () => void };
  /** Undefined where no password is asked for. */
  password?: string;
  onPassword?: (password: string) => void;
  children?: ReactNode;
};

/** A missing password is not sent: it would count as an attempt, and be called wrong. */
export function ProofForm(props: ProofFormProps) {
  const { submitLabel, color, error, isBusy, onSubmit, other, password, onPassword, children } = props;
  const [isSubmitted, setIsSubmitted] = useState(false);
  const isOther = useRef(false);
  const submit = () => {
    setIsSubmitted(password === "");
    if (password === "") return;
    if (other && isOther.current) other.onSubmit();
    else onSubmit();
  };
  /** A click comes before the submit; the Enter key clicks the first button. */
  const choose = (isIt: boolean) => () => {
    isOther.current = isIt;
  };
  return (
    <ValidatedForm onSubmit={submit}>
      <Stack gap="md" maw={420}>
        <AuthError error={error} fieldCodes={["wrong_credentials"]} />
        {password !== undefined && onPassword && (
          <PasswordField
            value={password}
            onChange={onPassword}
            error={error}
            missing={isSubmitted && password === "" ? common.required : undefined}
          />
        )}
        {children}
        <Group>
          <Button type="submit" loading={isBusy} onClick={choose(false)} {...(color && { color })}>
            {submitLabel}
          </Button>
          {other && (
            <Button type="submit" variant="default" loading={other.isBusy} onClick={choose(true)}>
              {other.label}
            </Button>
          )}
        </Group>
      </Stack>
    </ValidatedForm>
  );
}

type CodeFieldProps = {
  value: string;
  onChange: (value: string) => void;
  error: unknown;
  autoFocus?: boolean;
};

export function CodeField({ value, onChange, error, autoFocus = false }: CodeFieldProps) {
  return (
    <TextInput
      label={common.twoFactorCode}
      autoComplete="one-time-code"
      maxLength={40}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={fieldProblems(error).code}
      autoFocus={autoFocus}
    />
  );
}

/** Black on white in both colour schemes, with the quiet zone that scanners need. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 4 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width={220} height={220} role="img" aria-label={texts.qrCode}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
