/** A text filter of the results, applied when typing pauses. */
import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { messages } from "./messages.tsx";

/** After the last key. */
const TYPING_MS = 250;

export function TypedFilter({ label, text, onText, isSearch = false }: TypedFilterProps) {
  const [typed, setTyped] = useState(text);
  const apply = useDebouncedCallback(onText, TYPING_MS);
  useEffect(() => setTyped(text), [text]); // the URL has changed
  const change = (value: string) => {
    setTyped(value);
    apply(value.trim());
  };
  return (
    <TextInput
      {...(isSearch ? { "aria-label": label, placeholder: label, w: { base: "100%", xs: 240 } } : { label })}
      value={typed}
      onChange={({ currentTarget: { value } }) => change(value)}
      maxLength={255}
      rightSection={
        typed !== "" &&
        isSearch && <CloseButton size="sm" aria-label={messages.results.clear} onClick={() => change("")} />
      }
    />
  );
}

type TypedFilterProps = { label: string; text: string; onText: (text: string) => void; isSearch?: boolean };
