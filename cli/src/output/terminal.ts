/** What may be shown on a terminal, and in which colours. */
import { styleText } from "node:util";

/** Colours only what a terminal shows. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;
export type Colour = "green" | "red" | "yellow" | "gray";

export const paintFor = (stream: { isTTY?: boolean }): Paint =>
  stream.isTTY && !process.env.NO_COLOR ? (style, text) => styleText(style, text) : (_style, text) => text;

const LONGEST_SHOWN = 400;

/** A stranger's text must not steer the terminal. */
export function printable(text: string): string {
  const shown = text.replace(/\p{C}/gu, "�");
  return shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown;
}
