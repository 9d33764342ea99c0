/**
 * Sample world: domains of every kind, and an address for each verdict.
 *
 * Only the name server of the lab knows these names; the large providers are imitations, too.
 */

import { servfail, silent } from "./dns-temperament.ts";
import {
  acceptsEveryone,
  answersWith,
  binaryGarbage,
  blocksClient,
  disabled,
  errorLimit,
  exim,
  failsTemporarily,
  gmx,
  google,
  greylists,
  hangsUp,
  microsoft365,
  noEhlo,
  noSmtpUtf8,
  outlookCom,
  overQuota,
  requiresTls,
  saysNothing,
  splitsReplies,
  yahoo,
} from "./mail/index.ts";
import { type MailWorld, mailDomain, mailHost } from "./mail-world.ts";
import type { DnsEntry } from "./zone.ts";

const USERS = ["ann", "bob", "carla.meyer", "info"];
const SPF = { TXT: ["v=spf1 mx -all"] };
const FIVE_MINUTES_MS = 300_000;

const mx = (...exchanges: string[]): DnsEntry => ({
  MX: exchanges.map((exchange, index) => ({ preference: 10 * (index + 1), exchange })),
});

export const SAMPLE_WORLD: MailWorld = {
  // Ordinary servers, each with one trait.
  "polite.example-lab.com": mailDomain({ users: USERS, temper: errorLimit(), records: SPF }),
  "_dmarc.polite.example-lab.com": { TXT: ["v=DMARC1; p=reject"] },
  "encrypted.example-lab.com": mailDomain({ users: USERS, temper: requiresTls }),
  "old.example-lab.com": mailDomain({ users: USERS, temper: [noEhlo, exim] }),
  "ascii.example-lab.com": mailDomain({ users: USERS, temper: [noSmtpUtf8, exim] }),
  "crumbs.example-lab.com": mailDomain({ users: USERS, temper: splitsReplies }),
  "far.example-lab.com": mailDomain({ users: USERS, latencyMs: 250 }),
  "bare.example-lab.com": mailDomain({ users: USERS, implicitMx: true }),
  "failover.example-lab.com": mailDomain({ users: USERS, hosts: { mx1: { down: true }, mx2: {} } }),
  "open.example-lab.com": mailDomain({ temper: acceptsEveryone }),
  "full.example-lab.com": mailDomain({ users: USERS, temper: overQuota(["max"]) }),
  "closed.example-lab.com": mailDomain({ users: USERS, temper: disabled(["former"]) }),
  "grey.example-lab.com": mailDomain({ users: USERS, temper: greylists({ delayMs: FIVE_MINUTES_MS }) }),

  // Servers that block the client or fail.
  "blocks.example-lab.com": mailDomain({ users: USERS, temper: blocksClient({ at: "rcpt" }) }),
  "busy.example-lab.com": mailDomain({
    users: USERS,
    temper: answersWith({ at: "mail", reply: "450 4.7.1 Error: too much mail from 127.0.0.1" }),
  }),
  "insiders.example-lab.com": mailDomain({
    users: [...USERS, "staff"],
    temper: answersWith({
      at: "rcpt",
      reply: "550 5.7.133 Sender not authenticated for group; it takes no mail from outside senders",
      users: ["staff"],
    }),
  }),
  "ill.example-lab.com": mailDomain({ users: USERS, temper: failsTemporarily({ at: "rcpt" }) }),
  "down.example-lab.com": mailDomain({ users: USERS, down: true }),
  "mute.example-lab.com": mailDomain({ users: USERS, temper: saysNothing({ at: "banner" }) }),
  "babble.example-lab.com": mailDomain({ users: USERS, temper: binaryGarbage({ at: "banner" }) }),
  "rude.example-lab.com": mailDomain({ users: USERS, temper: hangsUp({ after: "ehlo" }) }),
  "stranger.example-lab.com": mx("mx.polite.example-lab.com"),

  // Domains without mail.
  "web-only.example-lab.com": { TXT: ["no mail here"] },
  "null.example-lab.com": { MX: [{ preference: 0, exchange: "." }] },
  "inside.example-lab.com": { ...mx("mx.inside.example-lab.com"), A: ["9.9.9.9"] },
  "mx.inside.example-lab.com": { A: ["10.0.0.25"] },
  "broken-names.example-lab.com": { answers: servfail },
  "silent-names.example-lab.com": { answers: silent },

  // Imitations of providers.
  "gmail-smtp-in.l.google.com": mailHost({ temper: google }),
  "gmail.com": mailDomain({ mx: ["gmail-smtp-in.l.google.com"], users: ["annabel.lab", "robert.lab"] }),
  "outlook-com.olc.protection.outlook.com": mailHost({ temper: outlookCom }),
  "outlook.com": mailDomain({ mx: ["outlook-com.olc.protection.outlook.com"], users: ["annabel.lab"] }),
  "firm-example-lab-com.mail.protection.outlook.com": mailHost({ temper: microsoft365 }),
  "firm.example-lab.com": mailDomain({
    mx: ["firm-example-lab-com.mail.protection.outlook.com"],
    users: USERS,
  }),
  "mta5.am0.yahoodns.net": mailHost({ temper: yahoo }),
  "yahoo.com": mailDomain({ mx: ["mta5.am0.yahoodns.net"], users: ["annabel.lab"] }),
  "mx00.emig.gmx.net": mailHost({ temper: [blocksClient({ at: "banner" }), gmx] }),
  "gmx.de": mailDomain({ mx: ["mx00.emig.gmx.net"], users: ["annabel.lab"] }),
  "mailinator.com": mailDomain({ temper: acceptsEveryone }),
  "duck.com": mailDomain({ users: ["annabel.lab"] }),
  "agentmail.to": mailDomain({ users: ["annabel.lab"] }),
  "gmial.com": mailDomain({ users: ["annabel.lab"] }),
};

/** An address, its verdict, and the cause. */
export type Sample = {
  readonly email: string;
  readonly status: "valid" | "invalid" | "risky" | "unknown";
  readonly subStatus: string;
  readonly because: string;
};

const sample = (status: Sample["status"], subStatus: string, email: string, because: string): Sample => ({
  email,
  status,
  subStatus,
  because,
});

export const SAMPLES: readonly Sample[] = [
  sample("valid", "", "ann@polite.example-lab.com", "existing mailbox; made-up ones are rejected"),
  sample("valid", "", "ann@encrypted.example-lab.com", "requires STARTTLS, with a self-signed certificate"),
  sample("valid", "", "ann@old.example-lab.com", "supports HELO only"),
  sample("valid", "", "ann@crumbs.example-lab.com", "replies arrive byte by byte"),
  sample("valid", "", "ann@far.example-lab.com", "250 ms latency"),
  sample("valid", "", "ann@bare.example-lab.com", "no MX record; mail goes to the address of the domain"),
  sample("valid", "", "ann@failover.example-lab.com", "the first mail host is down, the second accepts"),
  sample("valid", "", "annabel.lab@gmail.com", "imitation of Gmail"),
  sample("valid", "", "annabel.lab@outlook.com", "imitation of Outlook.com: one recipient per transaction"),
  sample("valid", "", "ann@firm.example-lab.com", "imitation of Microsoft 365"),
  sample("valid", "privacy_relay", "annabel.lab@duck.com", "privacy relay"),
  sample("valid", "agent_mailbox", "annabel.lab@agentmail.to", "mailbox of a software agent"),
  sample("invalid", "syntax_error", "ann@@polite.example-lab.com", "two at signs"),
  sample("invalid", "provider_syntax", "abc@gmail.com", "too short for Gmail"),
  sample("invalid", "reserved_domain", "ann@example.com", "reserved for documentation (RFC 2606)"),
  sample("invalid", "domain_not_found", "ann@nowhere.example-lab.com", "NXDOMAIN"),
  sample("invalid", "no_mail_server", "ann@web-only.example-lab.com", "neither MX nor address record"),
  sample("invalid", "null_mx", "ann@null.example-lab.com", "null MX (RFC 7505)"),
  sample(
    "invalid",
    "unroutable_mail_server",
    "ann@inside.example-lab.com",
    "a public domain whose only MX has a private address",
  ),
  sample("invalid", "mailbox_not_found", "eve@polite.example-lab.com", "no such user"),
  sample(
    "invalid",
    "mailbox_not_found",
    "eve@firm.example-lab.com",
    "no such user, with the reply of Microsoft 365",
  ),
  sample("invalid", "mailbox_disabled", "former@closed.example-lab.com", "the mailbox is disabled"),
  sample(
    "invalid",
    "domain_not_accepted",
    "ann@stranger.example-lab.com",
    "the mail host does not serve the domain",
  ),
  sample("invalid", "smtputf8_unsupported", "jörg@ascii.example-lab.com", "no SMTPUTF8 support"),
  sample("risky", "disposable", "ann@mailinator.com", "disposable address"),
  sample("risky", "catch_all", "ann@open.example-lab.com", "any mailbox is accepted"),
  sample("risky", "catch_all", "annabel.lab@yahoo.com", "imitation of Yahoo: accepts every RCPT"),
  sample("risky", "role_based", "info@polite.example-lab.com", "role address"),
  sample("risky", "restricted", "staff@insiders.example-lab.com", "group that accepts internal senders only"),
  sample("risky", "mailbox_full", "max@full.example-lab.com", "over quota"),
  sample("risky", "possible_typo", "annabel.lab@gmial.com", "accepted, but probably a typo of gmail.com"),
  sample("unknown", "greylisted", "ann@grey.example-lab.com", "greylisted for five minutes"),
  sample("unknown", "rate_limited", "ann@busy.example-lab.com", "rate limited at MAIL FROM"),
  sample("unknown", "probe_blocked", "ann@blocks.example-lab.com", "the client address is on a blocklist"),
  sample("unknown", "probe_blocked", "annabel.lab@gmx.de", "imitation of GMX, blocked at the banner"),
  sample("unknown", "temporary_error", "ann@ill.example-lab.com", "temporary lookup failure"),
  sample("unknown", "smtp_unreachable", "ann@down.example-lab.com", "the only mail host is down"),
  sample("unknown", "smtp_timeout", "ann@mute.example-lab.com", "connects, but sends no banner"),
  sample(
    "unknown",
    "smtp_protocol_error",
    "ann@babble.example-lab.com",
    "binary garbage instead of a banner",
  ),
  sample("unknown", "smtp_protocol_error", "ann@rude.example-lab.com", "disconnects after EHLO"),
  sample("unknown", "dns_error", "ann@broken-names.example-lab.com", "SERVFAIL"),
  sample("unknown", "dns_error", "ann@silent-names.example-lab.com", "no DNS response"),
];
