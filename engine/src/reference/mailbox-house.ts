/**
 * Which of the houses whose naming rules we know issues the mailboxes of a domain. Unlike the mail provider,
 * this is told from the domain alone, and only for names the house gives to the public: what a company at the
 * same house allows as a mailbox name is the company's affair.
 */

import { namesOfBrand, namesOfHouse } from "./mailbox-provider-table.ts";

export type MailboxHouse =
  | "google"
  | "microsoft"
  | "yahoo"
  | "aol"
  | "apple"
  | "proton"
  | "fastmail"
  | "yandex"
  | "zoho";

export function mailboxHouseOf(domain: string): MailboxHouse | undefined {
  return HOUSE_BY_DOMAIN.get(domain);
}

/** Another company under the same brand, with rules of its own. */
const YAHOO_JAPAN: readonly string[] = ["yahoo.co.jp", "yahoo.ne.jp"];

const DOMAINS: Readonly<Record<MailboxHouse, readonly string[]>> = {
  google: namesOfHouse("google"),
  microsoft: [...["hotmail", "live", "outlook"].flatMap(namesOfBrand), "msn.com", "windowslive.com"],
  yahoo: [...namesOfBrand("yahoo").filter((name) => !YAHOO_JAPAN.includes(name)), ...namesOfHouse("yahoo")],
  aol: [...namesOfBrand("aol"), "aim.com"],
  apple: namesOfHouse("apple"),
  proton: namesOfHouse("proton"),
  fastmail: namesOfHouse("fastmail"),
  yandex: ["ya.ru", ...namesOfBrand("yandex")],
  zoho: [...namesOfBrand("zoho"), ...namesOfHouse("zoho")],
};

const HOUSE_BY_DOMAIN: ReadonlyMap<string, MailboxHouse> = new Map(
  (Object.keys(DOMAINS) as MailboxHouse[]).flatMap((house) =>
    DOMAINS[house].map((domain) => [domain, house] as const),
  ),
);
