/** Form of the auth card: error, fields, submit button. */

import { Button, Stack, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { ValidatedForm } from "../../components/validated-form.tsx";
import { AuthError } from "./auth-error.tsx";
import { messages } from "./messages.tsx";

export function AuthForm({
  submitLabel,
  isBusy,
  error,
  fieldCodes,
  onSubmit,
  children,
  below,
}: AuthFormProps) {
  return (
    <ValidatedForm onSubmit={onSubmit}>
      <Stack gap="md">
        <AuthError error={error} fieldCodes={fieldCodes} />
        {children}
        <Button type="submit" fullWidth loading={isBusy}>
          {submitLabel}
        </Button>
        {below}
      </Stack>
    </ValidatedForm>
  );
}

type AuthFormProps = {
  submitLabel: string;
  isBusy: boolean;
  error: unknown;
  /** Problem codes that the page shows at a field. */
  fieldCodes?: readonly string[] | undefined;
  onSubmit: () => void;
  children: ReactNode;
  below?: ReactNode;
};

/** Email field, focused initially. */
export function EmailInput({ value, onChange, error, autoComplete = "username" }: EmailInputProps) {
  return (
    <TextInput
      label={messages.email}
      type="email"
      autoComplete={autoComplete}
      required
      withAsterisk={false}
      maxLength={254}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={error}
      autoFocus
    />
  );
}

type EmailInputProps = {
  value: string;
  onChange: (email: string) => void;
  error: ReactNode;
  autoComplete?: "username" | "email";
};
