/**
 * Mailbox names that a house never gives out: five letters at Gmail, an apostrophe at Outlook.
 *
 * A rule here calls an address dead without asking anybody, so a rule stands only where the house says so itself
 * and has never had it otherwise. Old accounts are shorter, and masked ones longer, than what a sign-up form
 * takes today; that is why only Gmail's lengths are judged.
 */

import { type MailboxHouse, mailboxHouseOf } from "../reference/mailbox-house.ts";

/** Why no such mailbox can exist at this domain, in words for people, or undefined when it can. */
export function providerSyntaxComplaint(local: string, domain: string): string | undefined {
  const house = mailboxHouseOf(domain);
  const rule = house === undefined ? undefined : RULES[house];
  return rule?.(baseOf(unquoted(local)));
}

type Rule = (base: string) => string | undefined;

const RULES: Readonly<Partial<Record<MailboxHouse, Rule>>> = {
  google: (base) => {
    if (!/^[a-z0-9.]*$/i.test(base)) return "Gmail names have only letters, digits and dots";
    const length = base.replaceAll(".", "").length;
    return length < 6 || length > 30
      ? "Gmail names have 6 to 30 letters and digits, dots not counted"
      : undefined;
  },
  microsoft: plainOnly("Outlook and Hotmail"),
  yahoo: plainOnly("Yahoo"),
  aol: plainOnly("AOL"),
  apple: plainOnly("iCloud"),
  proton: plainOnly("Proton"),
};

/** All that these houses have ever allowed before a tag. */
function plainOnly(house: string): Rule {
  return (base) =>
    /^[a-z0-9._-]+$/i.test(base)
      ? undefined
      : `${house} names have only letters, digits, dots, hyphens and underscores`;
}

/** Each of these houses reads what follows a plus as a tag. */
function baseOf(local: string): string {
  const plus = local.indexOf("+");
  return plus < 0 ? local : local.slice(0, plus);
}

/** Quotes around a plain name change nothing about it. */
function unquoted(local: string): string {
  return local.startsWith('"') && local.endsWith('"') && local.length > 1
    ? local.slice(1, -1).replace(/\\(.)/g, "$1")
    : local;
}
