/** Input for a new password, checked for length before the request. */

import type { PasswordInputProps } from "@mantine/core";
import { PasswordInput } from "../../components/password-input.tsx";
import { messages } from "./messages.tsx";

/** Minimum of the API. */
const MIN_PASSWORD_LENGTH = 10;

export function NewPasswordInput(props: Omit<PasswordInputProps, "autoComplete" | "description">) {
  return (
    <PasswordInput
      {...props}
      autoComplete="new-password"
      description={messages.passwordHint(MIN_PASSWORD_LENGTH)}
      visibilityToggleButtonProps={{ "aria-label": messages.togglePassword, tabIndex: 0 }}
    />
  );
}

export function newPasswordProblem(password: string): string | undefined {
  const missing = MIN_PASSWORD_LENGTH - password.length;
  return missing > 0 ? messages.passwordTooShort(missing) : undefined;
}
