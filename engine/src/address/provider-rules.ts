/**
 * Local parts that a provider never issues: five letters at Gmail, an apostrophe at Outlook.
 *
 * A rule declares an address invalid without probing, so each row names its source and is as lax as the laxest form
 * the provider ever had. Old accounts are shorter, and relay addresses longer, than today's sign-up forms accept;
 * therefore only Gmail's lengths are checked.
 */

import { type NamingRuleProvider, namingRuleProviderOf } from "../reference/naming-rule-provider.ts";

/** Why this local part cannot exist at this domain, as a sentence without its full stop; undefined when it can. */
export function providerSyntaxError(local: string, domain: string): string | undefined {
  const provider = namingRuleProviderOf(domain);
  const rule = provider === undefined ? undefined : RULE_OF.get(provider);
  return rule && ruleViolation(baseOf(unquoted(local)), rule);
}

export type ProviderRule = {
  provider: NamingRuleProvider;
  /** The brand name shown to users. */
  brand: string;
  /** Punctuation allowed before the tag; ASCII letters and digits are always allowed. */
  punctuation: readonly (keyof typeof PUNCTUATION)[];
  /** Allowed number of letters and digits; absent where it has changed over the years. */
  lettersAndDigits?: { min: number; max: number };
  /** Where the rule is documented. */
  source: string;
};

const PUNCTUATION = { ".": "dots", "-": "hyphens", _: "underscores" } as const;
const PLAIN = [".", "-", "_"] as const;

export const PROVIDER_RULES: readonly ProviderRule[] = [
  {
    provider: "google",
    brand: "Gmail",
    punctuation: ["."],
    lettersAndDigits: { min: 6, max: 30 },
    source: "Gmail Help, Create a username: https://support.google.com/mail/answer/9211434",
  },
  {
    provider: "microsoft",
    brand: "Outlook and Hotmail",
    punctuation: PLAIN,
    source:
      "Free Webmail Username Restrictions, Windows Live (2008): https://verb.fyi/2008/08/29/webmail-username-criteria/",
  },
  {
    provider: "yahoo",
    brand: "Yahoo",
    punctuation: PLAIN,
    source: "Nokia FAQ FA134980, What are the username requirements for Nokia Mail powered by Yahoo!?",
  },
  {
    provider: "aol",
    brand: "AOL",
    punctuation: PLAIN, // screen names had none; accounts created by Yahoo's sign-up form follow Yahoo's rule
    source: "AOL Screen Name Service, Help: What is a Screen Name?; since 2017 as Yahoo",
  },
  {
    provider: "apple",
    brand: "iCloud",
    punctuation: PLAIN,
    source:
      "Free Webmail Username Restrictions, MobileMe (2008): https://verb.fyi/2008/08/29/webmail-username-criteria/",
  },
  {
    provider: "proton",
    brand: "Proton",
    punctuation: PLAIN,
    source: "Proton Support, How to change your username: https://proton.me/support/change-username",
  },
];

const RULE_OF = new Map(
  PROVIDER_RULES.map((rule) => {
    const allowed = new RegExp(`^[a-z0-9${rule.punctuation.map((sign) => `\\${sign}`).join("")}]*$`, "i");
    return [rule.provider, { ...rule, allowed }];
  }),
);

/** Not issued to users, but every provider has it (RFC 2142, 4), as it has postmaster@. */
const REQUIRED_NAME = /^abuse$/i;

function ruleViolation(
  base: string,
  { brand, punctuation, lettersAndDigits, allowed }: ProviderRule & { allowed: RegExp },
): string | undefined {
  const isEmpty = base === "" && !lettersAndDigits; // where lengths are checked, the length error is more helpful
  if (isEmpty || !allowed.test(base)) {
    const kinds = ["letters", "digits", ...punctuation.map((sign) => PUNCTUATION[sign])];
    return `${brand} names have only ${kinds.slice(0, -1).join(", ")} and ${kinds.at(-1)}`;
  }
  if (!lettersAndDigits || REQUIRED_NAME.test(base)) return undefined;
  const { min, max } = lettersAndDigits;
  const length = base.replace(/[^a-z0-9]/gi, "").length;
  if (length >= min && length <= max) return undefined;
  return `${brand} names have ${min} to ${max} letters and digits, dots not counted`;
}

/** All of these providers treat what follows a plus as a tag. */
function baseOf(local: string): string {
  const plus = local.indexOf("+");
  return plus < 0 ? local : local.slice(0, plus);
}

/** Quotes around a plain local part do not change it. */
function unquoted(local: string): string {
  return local.startsWith('"') && local.endsWith('"') && local.length > 1
    ? local.slice(1, -1).replace(/\\(.)/g, "$1")
    : local;
}
