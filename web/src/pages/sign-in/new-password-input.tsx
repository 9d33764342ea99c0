/** A password that is being chosen: says what will do before it is sent. */
import { PasswordInput, type PasswordInputProps } from "@mantine/core";

/** As the service has it. */
const MIN_PASSWORD_LENGTH = 10;

export function NewPasswordInput(props: Omit<PasswordInputProps, "autoComplete" | "description">) {
  return (
    <PasswordInput
      {...props}
      autoComplete="new-password"
      description={`At least ${MIN_PASSWORD_LENGTH} characters. Several words are fine.`}
      maxLength={200}
      visibilityToggleButtonProps={{ "aria-label": "Show or hide the password", tabIndex: 0 }}
    />
  );
}

/** What is wrong with it, before anybody is asked. */
export function newPasswordProblem(password: string): string | undefined {
  const missing = MIN_PASSWORD_LENGTH - password.length;
  if (missing <= 0) return undefined;
  return `Too short: it needs ${missing} more ${missing === 1 ? "character" : "characters"}.`;
}
