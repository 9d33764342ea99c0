/**
 * Masking relays: services that hand a person a second address and forward what arrives there to their real
 * mailbox. Somebody reads that mail, so these are no throw-away addresses, and they are kept apart.
 *
 * Two relays cannot be told by name: Apple's Hide My Email also issues plain icloud.com addresses, and
 * Fastmail's masked addresses live at its ordinary domains.
 */

import { isAtOrBelow } from "./domain-set.ts";

/** Is this the domain of a masking relay, or a customer's own name below one? */
export function isPrivacyRelay(domain: string): boolean {
  return isAtOrBelow(domain, RELAY_DOMAINS);
}

/** Is this the mail host of a masking relay, as people's own domains at such a relay name it? */
export function isPrivacyRelayHost(mailHost: string): boolean {
  return isAtOrBelow(mailHost, RELAY_MAIL_HOSTS);
}

/** By service. Every name also stands for what is below it: addy.io and 33mail give each user a subdomain. */
const RELAYS: Readonly<Record<string, { domains: string; mailHosts?: string }>> = {
  apple: { domains: "privaterelay.appleid.com" },
  duckDuckGo: { domains: "duck.com", mailHosts: "duck.com" },
  firefoxRelay: { domains: "mozmail.com relay.firefox.com" }, // arrives through a cloud's shared mail hosts
  simpleLogin: {
    domains: `simplelogin.com simplelogin.co simplelogin.fr simplelogin.io aleeas.com slmail.me slmails.com 8alias.com
      8shield.net dralias.com silomails.com`,
    mailHosts: "mx1.simplelogin.co mx2.simplelogin.co",
  },
  protonPass: { domains: "passmail.net passmail.com passinbox.com passfwd.com" },
  addy: {
    domains: "addy.io anonaddy.com anonaddy.me addymail.com mailer.me 4wrd.cc addy.to",
    mailHosts: "mail.addy.io mail2.addy.io mail.anonaddy.me mail2.anonaddy.me",
  },
  thirtyThreeMail: { domains: "33mail.com", mailHosts: "33mail.com" },
  erine: { domains: "erine.email", mailHosts: "erine.email" },
  ironVest: { domains: "opayq.com", mailHosts: "opayq.com" },
  cloaked: { domains: "cloaked.id myclkd.email clkdmail.com" },
  startMail: { domains: "use.startmail.com" },
  // Forwards a counted number of messages, then eats the rest; but the owner can reset the count, and has been
  // able to for twenty years. Nearer to a mask than to a throw-away inbox that strangers can read.
  spamgourmet: { domains: "spamgourmet.com spamgourmet.net spamgourmet.org", mailHosts: "spamgourmet.com" },
};

const RELAY_DOMAINS = wordSet(Object.values(RELAYS).map((relay) => relay.domains));
const RELAY_MAIL_HOSTS = wordSet(Object.values(RELAYS).map((relay) => relay.mailHosts ?? ""));

function wordSet(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.split(/\s+/)).filter((word) => word !== ""));
}
