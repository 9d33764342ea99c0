/**
 * Maps a domain to the provider whose naming rules apply to its mailboxes. Unlike mail-provider.ts, this uses the
 * domain alone, and only domains the provider offers to the public: a company hosted at the same provider makes its
 * own rules.
 */

import { namesOfBrand, namesOfProvider } from "./free-provider-domains.ts";

export type NamingRuleProvider =
  | "google"
  | "microsoft"
  | "yahoo"
  | "aol"
  | "apple"
  | "proton"
  | "fastmail"
  | "yandex"
  | "zoho";

export function namingRuleProviderOf(domain: string): NamingRuleProvider | undefined {
  return PROVIDER_BY_DOMAIN.get(domain);
}

/** A different company under the same brand, with its own rules. */
const YAHOO_JAPAN: readonly string[] = ["yahoo.co.jp", "yahoo.ne.jp"];

const DOMAINS: Readonly<Record<NamingRuleProvider, readonly string[]>> = {
  google: namesOfProvider("google"),
  microsoft: [...["hotmail", "live", "outlook"].flatMap(namesOfBrand), "msn.com", "windowslive.com"],
  yahoo: [
    ...namesOfBrand("yahoo").filter((name) => !YAHOO_JAPAN.includes(name)),
    ...namesOfProvider("yahoo"),
  ],
  aol: [...namesOfBrand("aol"), "aim.com"],
  apple: namesOfProvider("apple"),
  proton: namesOfProvider("proton"),
  fastmail: namesOfProvider("fastmail"),
  yandex: ["ya.ru", ...namesOfBrand("yandex")],
  zoho: [...namesOfBrand("zoho"), ...namesOfProvider("zoho")],
};

const PROVIDER_BY_DOMAIN: ReadonlyMap<string, NamingRuleProvider> = new Map(
  (Object.keys(DOMAINS) as NamingRuleProvider[]).flatMap((provider) =>
    DOMAINS[provider].map((domain) => [domain, provider] as const),
  ),
);
