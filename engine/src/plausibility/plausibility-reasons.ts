/** What led to an opinion of a mailbox name, in words for people. Made of our own words only, whoever had the opinion. */
import type { Adjudication, AdjudicationReason } from "./adjudication.ts";
import type { NameOpinion, Trait } from "./name-model.ts";
import type { PatternFit, Template } from "./naming-pattern.ts";
import type { NamingSource } from "./plausibility.ts";

const TRAITS: Record<Trait, string> = {
  machine_made: "an identifier that a program made",
  keyboard_walk: "letters in keyboard order",
  hexadecimal: "looks like a hexadecimal number",
  long_number: "mostly a long number",
  few_vowels: "hardly any vowels",
  consonant_run: "more consonants in a row than can be spoken",
  repetition: "the same letters over and over",
  random_letters: "letters that seldom stand together in names or words",
  known_parts: "made of names or words that are known",
  name_like: "reads like a name that somebody would choose",
};

export function wordsOfTraits({ traits }: NameOpinion): string[] {
  return traits.map((trait) => TRAITS[trait]);
}

const MAILBOXES: Record<NamingSource, string> = {
  proven: "proven mailboxes here",
  list: "other addresses of this list here",
};

/** Nothing where there is no habit to speak of. */
export function wordsOfFit(
  { lift, template, leading, agreeing, of }: PatternFit,
  source: NamingSource,
): string[] {
  const others = MAILBOXES[source];
  if (template !== "other" && template === leading) {
    return [`looks like ${named(template)}, as ${agreeing} of ${of} ${others}`];
  }
  if (lift > 1) return [`looks like ${named(template)}, as some of the ${of} ${others}`];
  return leading === "other"
    ? []
    : [`does not look like ${named(leading)}, as ${agreeing} of ${of} ${others} do`];
}

/** A template that is one word says nothing to somebody who does not know the others. */
function named(template: Template): string {
  if (template === "first") return "a first name alone";
  return template === "last" ? "a last name alone" : template;
}

const ADJUDICATION: Record<AdjudicationReason, string | undefined> = {
  person_name: "a language model reads it as a person's name",
  nickname: "a language model reads it as a nickname",
  role_or_team: "a language model reads it as a team or a function",
  word_or_brand: "a language model reads it as a word or a brand",
  fits_pattern: "a language model finds it named like the others here",
  breaks_pattern: "a language model finds it named unlike the others here",
  keyboard_mash: "a language model takes it for keys hit at random",
  random_characters: "a language model takes it for random characters",
  machine_generated: "a language model takes it for the work of a machine",
  unsure: undefined,
};

export function wordsOfAdjudication({ reasonCode }: Adjudication): string[] {
  const words = ADJUDICATION[reasonCode];
  return words === undefined ? [] : [words];
}
