/** Reasons for a plausibility score, as phrases for people. A fixed set, also for the language model's reasons. */
import type { Language } from "@mailvet/contract/words";
import type { Adjudication, AdjudicationReason } from "./adjudication.ts";
import type { NameScore, NameSignal } from "./name-model/name-model.ts";
import type { NamingSource, PatternFit, Template } from "./naming-pattern.ts";

export type PlausibilityTexts = {
  signals: Record<NameSignal, string>;
  mailboxes: Record<NamingSource, string>;
  follows: (template: string, agreeing: number, of: number, others: string) => string;
  followsSome: (template: string, of: number, others: string) => string;
  breaks: (template: string, agreeing: number, of: number, others: string) => string;
  /** A template of one word means nothing without the others. */
  oneWord: Partial<Record<Template, string>>;
  adjudication: Record<AdjudicationReason, string | undefined>;
};

export function signalReasons({ signals }: NameScore, texts: PlausibilityTexts): string[] {
  return signals.map((signal) => texts.signals[signal]);
}

/** Empty where the domain has no pattern. */
export function fitReasons(
  { lift, template, leading, agreeing, of }: PatternFit,
  source: NamingSource,
  texts: PlausibilityTexts,
): string[] {
  const others = texts.mailboxes[source];
  const label = (name: Template) => texts.oneWord[name] ?? name;
  if (template !== "other" && template === leading) {
    return [texts.follows(label(template), agreeing, of, others)];
  }
  if (lift > 1) return [texts.followsSome(label(template), of, others)];
  return leading === "other" ? [] : [texts.breaks(label(leading), agreeing, of, others)];
}

export function adjudicationReasons({ reasonCode }: Adjudication, texts: PlausibilityTexts): string[] {
  const reason = texts.adjudication[reasonCode];
  return reason === undefined ? [] : [reason];
}

export const PLAUSIBILITY_TEXTS: Record<Language, PlausibilityTexts> = {
  en: {
    signals: {
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
    },
    mailboxes: {
      proven: "confirmed mailboxes at this domain",
      list: "other addresses at this domain in the list",
    },
    follows: (template, agreeing, of, others) => `follows ${template}, like ${agreeing} of ${of} ${others}`,
    followsSome: (template, of, others) => `follows ${template}, like some of the ${of} ${others}`,
    breaks: (template, agreeing, of, others) =>
      `does not follow ${template}, unlike ${agreeing} of ${of} ${others}`,
    oneWord: { first: "a first name only", last: "a last name only" },
    adjudication: {
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
    },
  },
  de: {
    signals: {
      machine_made: "sieht wie eine erzeugte Kennung aus",
      keyboard_walk: "Buchstaben in der Reihenfolge der Tastatur",
      hexadecimal: "sieht wie eine Hexadezimalzahl aus",
      long_number: "überwiegend eine lange Zahl",
      few_vowels: "kaum Vokale",
      consonant_run: "zu viele Konsonanten hintereinander",
      repetition: "wiederholte Buchstaben",
      random_letters: "Buchstabenfolgen, die in Namen und Wörtern selten sind",
      known_parts: "besteht aus bekannten Namen oder Wörtern",
      name_like: "liest sich wie ein Name, den eine Person wählen würde",
    },
    mailboxes: {
      proven: "bestätigten Postfächern dieser Domain",
      list: "anderen Adressen dieser Domain in der Liste",
    },
    follows: (template, agreeing, of, others) =>
      `folgt dem Muster ${template}, wie ${agreeing} von ${of} ${others}`,
    followsSome: (template, of, others) => `folgt dem Muster ${template}, wie einige von ${of} ${others}`,
    breaks: (template, agreeing, of, others) =>
      `folgt nicht dem Muster ${template}, anders als ${agreeing} von ${of} ${others}`,
    oneWord: { first: "„nur Vorname“", last: "„nur Nachname“" },
    adjudication: {
      person_name: "ein Sprachmodell liest es als Namen einer Person",
      nickname: "ein Sprachmodell liest es als Spitznamen",
      role_or_team: "ein Sprachmodell liest es als Funktion oder Team",
      word_or_brand: "ein Sprachmodell liest es als Wort oder Marke",
      fits_pattern: "laut einem Sprachmodell folgt es dem Namensmuster der Domain",
      breaks_pattern: "laut einem Sprachmodell weicht es vom Namensmuster der Domain ab",
      keyboard_mash: "ein Sprachmodell liest es als zufälliges Tippen",
      random_characters: "ein Sprachmodell liest es als zufällige Zeichen",
      machine_generated: "ein Sprachmodell liest es als maschinell erzeugt",
      unsure: undefined,
    },
  },
};
