/** A text filter of the results, applied when typing pauses. */
import { CloseButton, TextInput } from "@mantine/core";
import { useRef } from "react";
import { useTypedText } from "../../components/typed-text.ts";
import { messages } from "./messages.tsx";

export function TypedFilter({ label, text, onText, isSearch = false }: TypedFilterProps) {
  const [typed, type] = useTypedText(text, onText);
  const input = useRef<HTMLInputElement>(null);
  /** The button that has the focus disappears. */
  const clear = () => {
    type("");
    input.current?.focus();
  };
  return (
    <TextInput
      ref={input}
      {...(isSearch ? { "aria-label": label, placeholder: label, w: { base: "100%", xs: 240 } } : { label })}
      value={typed}
      onChange={({ currentTarget: { value } }) => type(value)}
      maxLength={255}
      rightSection={
        typed !== "" &&
        isSearch && <CloseButton size="sm" aria-label={messages.results.clear} onClick={clear} />
      }
    />
  );
}

type TypedFilterProps = { label: string; text: string; onText: (text: string) => void; isSearch?: boolean };
