/** What came of a stage, as a small disc. The words stand beside it. */
import type { Status } from "@mailvet/contract";
import { ThemeIcon } from "@mantine/core";
import type { Outcome } from "./stage.ts";

const TICK = "m5.5 10.5 3 3 6-7";
const CROSS = "m6.5 6.5 7 7m0-7-7 7";
const CALL = "M10 5.5v5.5M10 14.3h.01";
const QUESTION = "M7.5 8a2.5 2.5 0 1 1 3.7 2.2c-.8.4-1.2.9-1.2 1.6M10 14.7h.01";
const DASH = "M6.5 10h7";

const MARKS: Readonly<Record<Outcome, readonly [color: string, drawing: string]>> = {
  good: ["teal", TICK],
  bad: ["red", CROSS],
  warn: ["yellow", CALL],
  open: ["gray", QUESTION],
  skipped: ["gray", DASH],
};

/** How a verdict ends the story. */
export const OUTCOME_OF: Readonly<Record<Status, Outcome>> = {
  valid: "good",
  invalid: "bad",
  risky: "warn",
  unknown: "open",
};

export function OutcomeIcon({ outcome, size = 28, variant = "light" }: OutcomeIconProps) {
  const [color, drawing] = MARKS[outcome];
  return (
    <ThemeIcon variant={variant} color={color} size={size} radius="xl" aria-hidden="true">
      <svg
        width={size * 0.72}
        height={size * 0.72}
        viewBox="0 0 20 20"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        <path d={drawing} />
      </svg>
    </ThemeIcon>
  );
}

type OutcomeIconProps = { outcome: Outcome; size?: number; variant?: "light" | "filled" };
