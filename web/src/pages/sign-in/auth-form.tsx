/** The form on the card: why it was declined, the fields, and one button over its whole width. */
import { Button, Stack, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { ValidatedForm } from "../../shared/validated-form.tsx";
import { AuthProblem } from "./auth-problem.tsx";

export function AuthForm({ doIt, isBusy, error, besideFields, onSubmit, children, below }: AuthFormProps) {
  return (
    <ValidatedForm onSubmit={onSubmit}>
      <Stack gap="md">
        <AuthProblem error={error} besideFields={besideFields} />
        {children}
        <Button type="submit" fullWidth loading={isBusy}>
          {doIt}
        </Button>
        {below}
      </Stack>
    </ValidatedForm>
  );
}

type AuthFormProps = {
  /** What the button says. */
  doIt: string;
  isBusy: boolean;
  error: unknown;
  /** Codes of problems that are told beside a field. */
  besideFields?: readonly string[] | undefined;
  onSubmit: () => void;
  children: ReactNode;
  below?: ReactNode;
};

/** Who one is, or wants to be. The keyboard begins here. */
export function EmailInput({ value, onChange, error, autoComplete = "username" }: EmailInputProps) {
  return (
    <TextInput
      label="Email"
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
