/**
 * A second opinion on a mailbox name, from a language model that whoever runs this may have connected.
 *
 * Here stand its words, and when it is worth asking. Who asks it, and at what price, is not the engine's business.
 */
import type { Evidence } from "../evidence.ts";
import { hasReadableName, NO_OPINION, plausibilityOf } from "./plausibility.ts";

/** Why it thinks so. A closed set: its own words are a stranger's, and are never shown. */
export const ADJUDICATION_REASONS = [
  "person_name",
  "nickname",
  "role_or_team",
  "word_or_brand",
  "fits_pattern",
  "breaks_pattern",
  "keyboard_mash",
  "random_characters",
  "machine_generated",
  "unsure",
] as const;
export type AdjudicationReason = (typeof ADJUDICATION_REASONS)[number];

export type Adjudication = {
  /** 0 to 1: how plausible the name is as a mailbox at this domain. */
  plausible: number;
  reasonCode: AdjudicationReason;
  /** The model that said so. */
  method: string;
};

/** Between these the local opinion leans to neither side. */
const AMBIGUOUS = { from: 0.35, to: 0.65 };

/** Whether the name can be read and what we make of it leaves the matter open. A name that our model abstains from is open. */
export function isAmbiguous(evidence: Evidence): boolean {
  if (!hasReadableName(evidence)) return false;
  const score = plausibilityOf(evidence)?.score ?? NO_OPINION;
  return score >= AMBIGUOUS.from && score <= AMBIGUOUS.to;
}
