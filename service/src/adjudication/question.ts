/**
 * What a language model is told about a mailbox: its name, how others are named there, and nothing more.
 *
 * Neither the account nor the address goes out, the domain only when the operator wants that. Figures are rounded, so
 * that the same question is the same question a minute later.
 */
import { type Evidence, type PatternTally, TEMPLATES } from "@mailvet/engine";

export type AdjudicationQuestion = {
  /** The mailbox name: in lower case, without a +tag, cleaned and cut. Still a text that a stranger typed. */
  name: string;
  place: QuestionDomain;
  /** Equal for equal questions. */
  key: string;
  /** Those with the same may be asked together: the same domain, and the same knowledge of it. Some names go alone. */
  company: string;
};

/** What is known of where the mailbox is. */
export type QuestionDomain = {
  domain?: string;
  /** How mailboxes that were proven there are named. */
  proven?: QuestionNaming;
  /** How the other addresses of the same list are named there. */
  listed?: QuestionNaming;
};

export type QuestionNaming = {
  /** How many there are; 1, 2, 5, 10, 20 … */
  mailboxes: number;
  /** The share of each template that has one, in steps of a tenth. */
  shares: Record<string, number>;
};

const MAX_NAME_LENGTH = 64;
// What shows nothing, or changes how the rest is shown: controls, formats, line ends; also half a character that was cut.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** Two or three plain words say little to a model. What is longer could talk it round about whoever is asked with it. */
const HARMLESS = /^(?=.{1,24}$)[a-z0-9]+(?:[._-][a-z0-9]+){0,2}$/;

/** Undefined when there is nothing to ask about. */
export function questionOf(
  { address, naming, listNaming }: Evidence,
  { sendsDomain }: { sendsDomain: boolean },
): AdjudicationQuestion | undefined {
  if (!address) return undefined;
  const name = untagged(address.local.toLowerCase()).slice(0, MAX_NAME_LENGTH).replace(UNSEEN, "");
  if (name === "") return undefined;
  const proven = naming && summaryOf(naming);
  const listed = listNaming && summaryOf(listNaming);
  const place: QuestionDomain = {
    ...(sendsDomain ? { domain: address.domain } : {}),
    ...(proven ? { proven } : {}),
    ...(listed ? { listed } : {}),
  };
  const there = `${address.domain} ${JSON.stringify(place)}`;
  // An answer holds where it was asked: what somebody made a model say at a domain of their own goes no further.
  const key = `${name} ${there}`;
  return { name, place, key, company: HARMLESS.test(name) ? there : key };
}

/** Its owner made the tag up, and may have meant it for nobody else. */
function untagged(local: string): string {
  const plus = local.indexOf("+");
  return plus > 0 ? local.slice(0, plus) : local;
}

/** Undefined when there is too little to be seen in it. */
function summaryOf({ mailboxes, shares }: PatternTally): QuestionNaming | undefined {
  if (!(mailboxes >= 1)) return undefined;
  const rounded = TEMPLATES.map(
    (template, i) => [template, Math.round((10 * (shares[i] ?? 0)) / mailboxes) / 10] as const,
  );
  return {
    mailboxes: roundNumber(mailboxes),
    shares: Object.fromEntries(rounded.filter(([, share]) => share > 0)),
  };
}

/** The next lower of 1, 2, 5, 10, 20, 50 … */
function roundNumber(count: number): number {
  const power = 10 ** Math.floor(Math.log10(count));
  const first = [5, 2].find((digit) => count >= digit * power) ?? 1;
  return first * power;
}
