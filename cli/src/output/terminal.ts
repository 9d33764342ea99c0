/** Colours, and escaping of untrusted text, for the terminal. */
import { styleText } from "node:util";

/** Applies a style when the stream is a terminal and NO_COLOR is not set. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;
export type Colour = "green" | "red" | "yellow" | "gray";

export const paintFor = (stream: { isTTY?: boolean }): Paint =>
  stream.isTTY && !process.env.NO_COLOR ? (style, text) => styleText(style, text) : (_style, text) => text;

const MAX_SHOWN_CHARS = 400;

/** Replaces control characters, so that untrusted text cannot send escape sequences to the terminal. */
export function printable(text: string): string {
  const shown = text.replace(/\p{C}/gu, "�");
  return shown.length > MAX_SHOWN_CHARS ? `${shown.slice(0, MAX_SHOWN_CHARS)}…` : shown;
}
