/**
 * Which of the houses whose naming rules we know issues the mailboxes of a domain. Unlike the mail provider,
 * this is told from the domain alone, and only for names the house gives to the public: what a company at the
 * same house allows as a mailbox name is the company's affair.
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
  return HOUSE_BY_DOMAIN.get(domain);
}

/** Another company under the same brand, with rules of its own. */
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

const HOUSE_BY_DOMAIN: ReadonlyMap<string, NamingRuleProvider> = new Map(
  (Object.keys(DOMAINS) as NamingRuleProvider[]).flatMap((house) =>
    DOMAINS[house].map((domain) => [domain, house] as const),
  ),
);
