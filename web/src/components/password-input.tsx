/** Mantine's input for passwords, which does not tell screen readers that it is invalid, as its other inputs do. */
import { PasswordInput as Input, type PasswordInputProps } from "@mantine/core";

export function PasswordInput(props: PasswordInputProps) {
  return <Input maxLength={200} aria-invalid={props.error ? true : undefined} {...props} />;
}
