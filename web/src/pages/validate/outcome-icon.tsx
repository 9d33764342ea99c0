/** Icon for the outcome of a stage. Decorative: a text beside it names the outcome. */
import type { Status } from "@mailvet/contract";
import { ThemeIcon } from "@mantine/core";
import { Icon } from "../../components/icon.tsx";
import type { Outcome } from "./stage.ts";

const CHECK = "m5.5 10.5 3 3 6-7";
const CROSS = "m6.5 6.5 7 7m0-7-7 7";
const EXCLAMATION = "M10 5.5v5.5M10 14.3h.01";
const QUESTION = "M7.5 8a2.5 2.5 0 1 1 3.7 2.2c-.8.4-1.2.9-1.2 1.6M10 14.7h.01";
const DASH = "M6.5 10h7";

const ICONS: Readonly<Record<Outcome, readonly [color: string, path: string]>> = {
  good: ["green", CHECK],
  bad: ["red", CROSS],
  warn: ["yellow", EXCLAMATION],
  open: ["gray", QUESTION],
  skipped: ["gray", DASH],
};

/** The outcome that a verdict is shown as. */
export const OUTCOME_OF: Readonly<Record<Status, Outcome>> = {
  valid: "good",
  invalid: "bad",
  risky: "warn",
  unknown: "open",
};

export function OutcomeIcon({ outcome, size = 28, variant = "light" }: OutcomeIconProps) {
  const [color, path] = ICONS[outcome];
  return (
    <ThemeIcon variant={variant} color={color} size={size} radius="xl" aria-hidden="true">
      <Icon path={path} size={size * 0.72} strokeWidth={2} />
    </ThemeIcon>
  );
}

type OutcomeIconProps = { outcome: Outcome; size?: number; variant?: "light" | "filled" };
