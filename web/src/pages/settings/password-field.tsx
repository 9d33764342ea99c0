/** The current password, as proof that the owner of the account changes a second factor. */

import { PasswordInput } from "../../components/password-input.tsx";
import { fieldProblems } from "../../components/problem-text.ts";
import { isProblem } from "../sign-in/auth-error.tsx";
import { messages } from "./messages.tsx";

const texts = messages.twoFactor;

export function PasswordField({ value, onChange, error, missing }: PasswordFieldProps) {
  return (
    <PasswordInput
      label={texts.password}
      autoComplete="current-password"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={
        missing ??
        (isProblem(error, "wrong_credentials") ? messages.password.wrong : fieldProblems(error).password)
      }
      visibilityToggleButtonProps={{ "aria-label": texts.passwordToggle, tabIndex: 0 }}
    />
  );
}

type PasswordFieldProps = {
  value: string;
  onChange: (value: string) => void;
  error: unknown;
  /** Shown where the field must not be empty. */
  missing?: string | undefined;
};
