/** Reasons for a plausibility score, as phrases for people. A fixed set, also for the language model's reasons. */
import type { Adjudication, AdjudicationReason } from "./adjudication.ts";
import type { NameScore, NameSignal } from "./name-model/name-model.ts";
import type { NamingSource, PatternFit, Template } from "./naming-pattern.ts";

const SIGNALS: Record<NameSignal, string> = {
  machine_made: "looks like a generated identifier",
  keyboard_walk: "letters in keyboard order",
  hexadecimal: "looks like a hexadecimal number",
  long_number: "mostly a long number",
  few_vowels: "hardly any vowels",
  consonant_run: "too many consonants in a row",
  repetition: "repeated letters",
  random_letters: "letter sequences that are rare in names and words",
  known_parts: "made of known names or words",
  name_like: "reads like a name that a person would choose",
};

export function signalReasons({ signals }: NameScore): string[] {
  return signals.map((signal) => SIGNALS[signal]);
}

const MAILBOXES: Record<NamingSource, string> = {
  proven: "confirmed mailboxes at this domain",
  list: "other addresses at this domain in the list",
};

/** Empty where the domain has no pattern. */
export function fitReasons(
  { lift, template, leading, agreeing, of }: PatternFit,
  source: NamingSource,
): string[] {
  const others = MAILBOXES[source];
  if (template !== "other" && template === leading) {
    return [`follows ${templateLabel(template)}, like ${agreeing} of ${of} ${others}`];
  }
  if (lift > 1) return [`follows ${templateLabel(template)}, like some of the ${of} ${others}`];
  return leading === "other"
    ? []
    : [`does not follow ${templateLabel(leading)}, unlike ${agreeing} of ${of} ${others}`];
}

/** A template of one word means nothing without the others. */
function templateLabel(template: Template): string {
  if (template === "first") return "a first name only";
  return template === "last" ? "a last name only" : template;
}

const ADJUDICATION: Record<AdjudicationReason, string | undefined> = {
  person_name: "a language model reads it as a person's name",
  nickname: "a language model reads it as a nickname",
  role_or_team: "a language model reads it as a role or team",
  word_or_brand: "a language model reads it as a word or a brand",
  fits_pattern: "a language model finds that it follows the domain's naming pattern",
  breaks_pattern: "a language model finds that it breaks the domain's naming pattern",
  keyboard_mash: "a language model reads it as random typing",
  random_characters: "a language model reads it as random characters",
  machine_generated: "a language model reads it as machine-generated",
  unsure: undefined,
};

export function adjudicationReasons({ reasonCode }: Adjudication): string[] {
  const reason = ADJUDICATION[reasonCode];
  return reason === undefined ? [] : [reason];
}
