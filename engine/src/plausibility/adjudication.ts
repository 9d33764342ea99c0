/**
 * A language model's answer about a local part. The service asks it, if one is configured; the engine only reads it.
 */

/** A closed set of reasons: the language model's own text is untrusted and never shown. */
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
  /** 0 to 1: how plausible the local part is as a mailbox at this domain. */
  plausible: number;
  reasonCode: AdjudicationReason;
  /** The language model's name. */
  method: string;
};
