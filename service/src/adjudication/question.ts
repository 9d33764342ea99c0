/**
 * What a language model learns about a mailbox: its name, how others are named there, and nothing more.
 *
 * Neither the account nor the address is sent, the domain only if the operator enables it. Figures are rounded, so that the
 * same question has the same cache key a minute later.
 */
import { type Evidence, type PatternTally, TEMPLATES } from "@mailvet/engine";

export type AdjudicationQuestion = {
  /** The mailbox name: in lower case, without a +tag, cleaned and cut. Still untrusted text. */
  name: string;
  place: QuestionDomain;
  /** Equal for equal questions. */
  key: string;
  /** Questions of one group may be asked together: same domain, same knowledge of it. Some names are asked alone. */
  group: string;
};

/** What is known of the domain. */
export type QuestionDomain = {
  domain?: string;
  /** Naming of proven mailboxes. */
  proven?: QuestionNaming;
  /** Naming of the other addresses of the same list. */
  listed?: QuestionNaming;
};

export type QuestionNaming = {
  /** Rounded down to 1, 2, 5, 10, 20 … */
  mailboxes: number;
  /** Share per template, in steps of a tenth. */
  shares: Record<string, number>;
};

const MAX_NAME_LENGTH = 64;
// Invisible or reordering characters: controls, formats, line ends; also lone surrogates left by the cut.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** Two or three plain words. Longer names could carry instructions that affect the questions asked with them. */
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
  // Per domain: an answer that someone provoked at their own domain applies nowhere else.
  const key = `${name} ${there}`;
  return { name, place, key, group: HARMLESS.test(name) ? there : key };
}

/** Tags are private. */
function untagged(local: string): string {
  const plus = local.indexOf("+");
  return plus > 0 ? local.slice(0, plus) : local;
}

/** Undefined without any mailbox. */
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
