/**
 * One spelling for one mailbox: what the house that runs it is known to ignore is taken away, so that
 * `A.Nn+shop@googlemail.com` and `ann@gmail.com` are seen to be the same person.
 *
 * Only what a house documents. Where it is unsure whether two spellings reach one mailbox, they stay two:
 * merging two people is worse than counting one of them twice.
 */

import { type NamingRuleProvider, namingRuleProviderOf } from "../reference/naming-rules.ts";

export type CanonicalEmail = {
  canonical: string;
  /** The owner has put a tag on the address (`ann+shop@`), wherever that tag leads. */
  isSubaddressed: boolean;
};

/** The local part as the parser gives it (NFC, quotes kept), the domain in lower-case A-labels. */
export function canonicalEmail(local: string, domain: string): CanonicalEmail {
  const house = namingRuleProviderOf(domain);
  if (house !== undefined && local.charCodeAt(0) !== QUOTE) return HABITS[house](local.toLowerCase(), domain);
  return (
    fastmailSubdomain(local, domain) ?? { canonical: `${local}@${domain}`, isSubaddressed: plusAt(local) > 0 }
  );
}

const QUOTE = 0x22;

type Habit = (local: string, domain: string) => CanonicalEmail;

/** What each house ignores. All of them ignore case. */
const HABITS: Readonly<Record<NamingRuleProvider, Habit>> = {
  google: (local) => withoutTag(local, "gmail.com", (base) => base.replaceAll(".", "")),
  microsoft: (local, domain) => withoutTag(local, domain),
  // A disposable Yahoo address is base-keyword, and the base is no account: it may be another person's name.
  yahoo: (local, domain) => {
    const { canonical, isSubaddressed } = withoutTag(local, domain);
    return { canonical, isSubaddressed: isSubaddressed || local.indexOf("-") > 0 };
  },
  aol: (local, domain) => withoutTag(local, domain),
  apple: (local) => withoutTag(local, "icloud.com"), // who has a name at me.com or mac.com has it at icloud.com
  proton: (local, domain) => withoutTag(local, domain, (base) => base.replace(/[._-]/g, "")),
  fastmail: (local, domain) => withoutTag(local, domain),
  yandex: (local, domain) =>
    withoutTag(local, YANDEX_ALIASES.has(domain) ? "yandex.ru" : domain, (base) => base.replaceAll(".", "-")),
  zoho: (local, domain) => withoutTag(local, domain),
};

/** The same Yandex mailbox answers at each of these. */
const YANDEX_ALIASES: ReadonlySet<string> = new Set([
  "ya.ru",
  "yandex.ru",
  "yandex.com",
  "yandex.by",
  "yandex.kz",
  "yandex.ua",
]);

function withoutTag(local: string, domain: string, fold?: (base: string) => string): CanonicalEmail {
  const plus = plusAt(local);
  const base = plus > 0 ? local.slice(0, plus) : local;
  return { canonical: `${fold === undefined ? base : fold(base)}@${domain}`, isSubaddressed: plus > 0 };
}

/** Where the tag begins, or not above 0 when there is none. In a quoted local part a plus is only a plus. */
function plusAt(local: string): number {
  return local.charCodeAt(0) === QUOTE ? -1 : local.indexOf("+");
}

/** Fastmail reads shop@ann.fastmail.com as ann+shop@fastmail.com, at every domain of its own. */
function fastmailSubdomain(local: string, domain: string): CanonicalEmail | undefined {
  const dot = domain.indexOf(".");
  const parent = domain.slice(dot + 1);
  if (dot <= 0 || namingRuleProviderOf(parent) !== "fastmail" || local.charCodeAt(0) === QUOTE)
    return undefined;
  return { canonical: `${domain.slice(0, dot)}@${parent}`, isSubaddressed: true };
}
