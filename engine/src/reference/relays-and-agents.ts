/**
 * Providers of mailboxes whose names no person chose, and which are not disposable: privacy relays, which issue alias
 * addresses and forward to the owner's mailbox; and agent mailboxes, which software agents open through an API and read.
 *
 * Two relays cannot be recognised by domain: addresses that Apple's Hide My Email issued at icloud.com before it moved
 * to private.icloud.com (2026) and still forwards, and Fastmail's masked addresses, at its ordinary domains. Neither can
 * custom domains of agents: their mail hosts are those of a cloud.
 */

import { isAtOrBelow } from "./domain-set.ts";

/** Whether this is a relay's domain, or a user's subdomain of one. */
export function isPrivacyRelay(domain: string): boolean {
  return isAtOrBelow(domain, RELAY_DOMAINS);
}

/** Whether this is a relay's mail host, as used by custom domains. */
export function isPrivacyRelayHost(mailHost: string): boolean {
  return isAtOrBelow(mailHost, RELAY_MAIL_HOSTS);
}

/** Whether this is a domain of agent mailboxes, or a customer's subdomain of one. */
export function isAgentMailbox(domain: string): boolean {
  return isAtOrBelow(domain, AGENT_DOMAINS);
}

/** By service. Subdomains are included: addy.io and 33mail give each user one. */
const RELAYS: Readonly<Record<string, { domains: string; mailHosts?: string }>> = {
  apple: { domains: "private.icloud.com privaterelay.appleid.com" },
  duckDuckGo: { domains: "duck.com", mailHosts: "duck.com" },
  firefoxRelay: { domains: "mozmail.com relay.firefox.com" }, // uses shared mail hosts of a cloud
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
  // Forwards a limited number of messages, then drops the rest; but the owner can reset the count. Closer to a relay
  // than to a public disposable inbox.
  spamgourmet: { domains: "spamgourmet.com spamgourmet.net spamgourmet.org", mailHosts: "spamgourmet.com" },
};

const RELAY_DOMAINS = wordSet(Object.values(RELAYS).map((relay) => relay.domains));
const RELAY_MAIL_HOSTS = wordSet(Object.values(RELAYS).map((relay) => relay.mailHosts ?? ""));

// AgentMail, Inkbox, LobsterMail, Nylas, OpenMail, Robotomail. Nylas gives each customer a subdomain.
const AGENT_DOMAINS = wordSet([
  "agentmail.to inkboxmail.com lobstermail.ai nylas.email openmail.sh robotomail.co",
]);

function wordSet(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.split(/\s+/)).filter((word) => word !== ""));
}
