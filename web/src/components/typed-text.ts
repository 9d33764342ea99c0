/** The text of an input that is applied, usually to the URL, when typing pauses. */
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

/** After the last key. */
const TYPING_PAUSE_MS = 250;

export function useTypedText(
  text: string,
  apply: (text: string) => void,
): [typed: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(text);
  const applied = useRef(text);
  const applyLater = useDebouncedCallback((next: string) => {
    applied.current = next;
    apply(next);
  }, TYPING_PAUSE_MS);
  // Changed by a link or the way back. What was applied from here is no news: more may have been typed since.
  useEffect(() => {
    if (text === applied.current) return;
    applied.current = text;
    setTyped(text);
  }, [text]);
  const type = (next: string) => {
    setTyped(next);
    applyLater(next.trim());
  };
  return [typed, type];
}
