/** Input of a whole number. Keeps the text as typed, because "1.5" without its point is another number, and flags it. */
import { TextInput, type TextInputProps } from "@mantine/core";
import { common } from "../messages.ts";

export function WholeNumberInput({ value, onChange, error, ...props }: WholeNumberInputProps) {
  return (
    <TextInput
      inputMode="numeric"
      autoComplete="off"
      maxLength={10}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={value === "" || isWholeNumber(value) ? error : common.wholeNumber}
      {...props}
    />
  );
}

type WholeNumberInputProps = Omit<TextInputProps, "value" | "onChange"> & {
  value: string;
  onChange: (text: string) => void;
};

export const isWholeNumber = (text: string) => /^\d+$/.test(text);
