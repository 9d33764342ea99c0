/**
 * One canonical spelling per mailbox: removes what the provider is documented to ignore, so that
 * `A.Nn+shop@googlemail.com` and `ann@gmail.com` are recognised as the same mailbox.
 *
 * Only documented rules are applied. Where it is unclear whether two spellings reach one mailbox, they stay two:
 * merging two people is worse than counting one of them twice.
 */

import { type NamingRuleProvider, namingRuleProviderOf } from "../reference/naming-rule-provider.ts";

export type CanonicalEmail = {
  canonical: string;
  /** The address has a tag (`ann+shop@`), whether or not the provider ignores it. */
  isSubaddressed: boolean;
};

/** The local part as the parser returns it (NFC, quotes kept), the domain in lower-case A-labels. */
export function canonicalEmail(local: string, domain: string): CanonicalEmail {
  const provider = namingRuleProviderOf(domain);
  if (provider !== undefined && local.charCodeAt(0) !== QUOTE)
    return CANONICAL_FORMS[provider](local.toLowerCase(), domain);
  return (
    fastmailSubdomain(local, domain) ?? {
      canonical: `${local}@${domain}`,
      isSubaddressed: tagIndex(local) > 0,
    }
  );
}

const QUOTE = 0x22;

type CanonicalForm = (local: string, domain: string) => CanonicalEmail;

/** What each provider ignores. All of them ignore case. */
const CANONICAL_FORMS: Readonly<Record<NamingRuleProvider, CanonicalForm>> = {
  google: (local) => withoutTag(local, "gmail.com", (base) => base.replaceAll(".", "")),
  microsoft: (local, domain) => withoutTag(local, domain),
  // A disposable Yahoo address is base-keyword. The base is not an account, and may be the name of another person.
  yahoo: (local, domain) => {
    const { canonical, isSubaddressed } = withoutTag(local, domain);
    return { canonical, isSubaddressed: isSubaddressed || local.indexOf("-") > 0 };
  },
  aol: (local, domain) => withoutTag(local, domain),
  apple: (local) => withoutTag(local, "icloud.com"), // every me.com or mac.com name also exists at icloud.com
  proton: (local, domain) => withoutTag(local, domain, (base) => base.replace(/[._-]/g, "")),
  fastmail: (local, domain) => withoutTag(local, domain),
  yandex: (local, domain) =>
    withoutTag(local, YANDEX_ALIASES.has(domain) ? "yandex.ru" : domain, (base) => base.replaceAll(".", "-")),
  zoho: (local, domain) => withoutTag(local, domain),
};

/** One Yandex mailbox receives mail at all of these. */
const YANDEX_ALIASES: ReadonlySet<string> = new Set([
  "ya.ru",
  "yandex.ru",
  "yandex.com",
  "yandex.by",
  "yandex.kz",
  "yandex.ua",
]);

function withoutTag(local: string, domain: string, fold?: (base: string) => string): CanonicalEmail {
  const plus = tagIndex(local);
  const base = plus > 0 ? local.slice(0, plus) : local;
  return { canonical: `${fold === undefined ? base : fold(base)}@${domain}`, isSubaddressed: plus > 0 };
}

/** Index of the tag, or at most 0 when there is none. In a quoted local part a plus has no special meaning. */
function tagIndex(local: string): number {
  return local.charCodeAt(0) === QUOTE ? -1 : local.indexOf("+");
}

/** Fastmail reads shop@ann.fastmail.com as ann+shop@fastmail.com, at all of its own domains. */
function fastmailSubdomain(local: string, domain: string): CanonicalEmail | undefined {
  const dot = domain.indexOf(".");
  const parent = domain.slice(dot + 1);
  if (dot <= 0 || namingRuleProviderOf(parent) !== "fastmail" || local.charCodeAt(0) === QUOTE)
    return undefined;
  return { canonical: `${domain.slice(0, dot)}@${parent}`, isSubaddressed: true };
}
