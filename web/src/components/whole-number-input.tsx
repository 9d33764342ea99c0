/** Input of a whole number, as its digits. */
import { TextInput, type TextInputProps } from "@mantine/core";

export function WholeNumberInput({ value, onChange, ...props }: WholeNumberInputProps) {
  return (
    <TextInput
      inputMode="numeric"
      autoComplete="off"
      maxLength={10}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value.replaceAll(/\D/g, ""))}
      {...props}
    />
  );
}

type WholeNumberInputProps = Omit<TextInputProps, "value" | "onChange"> & {
  value: string;
  onChange: (digits: string) => void;
};
