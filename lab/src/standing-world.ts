/**
 * A world to walk around in: domains of every kind, and an address for each verdict to be had there.
 *
 * Only the lab's own name server knows these names, so the large providers in it are imitations too.
 */
import {
  acceptsEveryone,
  answersWith,
  binaryGarbage,
  blocksUs,
  disabled,
  errorLimit,
  exim,
  failsForNow,
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
import { servfail, silent } from "./name-temper.ts";
import type { NameEntry } from "./zone.ts";

const USERS = ["ann", "bob", "carla.meyer", "info"];
const SPF = { TXT: ["v=spf1 mx -all"] };
const FIVE_MINUTES_MS = 300_000;

const mx = (...exchanges: string[]): NameEntry => ({
  MX: exchanges.map((exchange, index) => ({ preference: 10 * (index + 1), exchange })),
});

export const STANDING_WORLD: MailWorld = {
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

  // Servers that have something against us, or trouble of their own.
  "blocks.example-lab.com": mailDomain({ users: USERS, temper: blocksUs({ at: "rcpt" }) }),
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
  "ill.example-lab.com": mailDomain({ users: USERS, temper: failsForNow({ at: "rcpt" }) }),
  "down.example-lab.com": mailDomain({ users: USERS, down: true }),
  "mute.example-lab.com": mailDomain({ users: USERS, temper: saysNothing({ at: "banner" }) }),
  "babble.example-lab.com": mailDomain({ users: USERS, temper: binaryGarbage({ at: "banner" }) }),
  "rude.example-lab.com": mailDomain({ users: USERS, temper: hangsUp({ after: "ehlo" }) }),
  "stranger.example-lab.com": mx("mx.polite.example-lab.com"),

  // Names without mail.
  "web-only.example-lab.com": { TXT: ["no mail here"] },
  "null.example-lab.com": { MX: [{ preference: 0, exchange: "." }] },
  "inside.example-lab.com": mx("mx.inside.example-lab.com"),
  "mx.inside.example-lab.com": { A: ["10.0.0.25"] },
  "broken-names.example-lab.com": { answers: servfail },
  "silent-names.example-lab.com": { answers: silent },

  // Providers, by their own names.
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
  "mx00.emig.gmx.net": mailHost({ temper: [blocksUs({ at: "banner" }), gmx] }),
  "gmx.de": mailDomain({ mx: ["mx00.emig.gmx.net"], users: ["annabel.lab"] }),
  "mailinator.com": mailDomain({ temper: acceptsEveryone }),
  "duck.com": mailDomain({ users: ["annabel.lab"] }),
  "gmial.com": mailDomain({ users: ["annabel.lab"] }),
};

/** An address, the verdict it is there for, and what leads to it. */
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
  sample("valid", "", "ann@polite.example-lab.com", "a known user; made-up names are refused"),
  sample(
    "valid",
    "",
    "ann@encrypted.example-lab.com",
    "mail is taken over TLS only, with a self-signed certificate",
  ),
  sample("valid", "", "ann@old.example-lab.com", "no EHLO here, HELO works"),
  sample("valid", "", "ann@crumbs.example-lab.com", "replies come byte by byte"),
  sample("valid", "", "ann@far.example-lab.com", "a quarter of a second away"),
  sample("valid", "", "ann@bare.example-lab.com", "no MX: the domain's own address takes mail"),
  sample("valid", "", "ann@failover.example-lab.com", "the first mail host is down, the second knows her"),
  sample("valid", "", "annabel.lab@gmail.com", "an imitation of Gmail"),
  sample("valid", "", "annabel.lab@outlook.com", "an imitation of Outlook.com: one recipient at a time"),
  sample("valid", "", "ann@firm.example-lab.com", "an imitation of Microsoft 365"),
  sample("valid", "privacy_relay", "annabel.lab@duck.com", "a masking relay"),
  sample("invalid", "syntax_error", "ann@@polite.example-lab.com", "two at signs"),
  sample("invalid", "provider_syntax", "abc@gmail.com", "too short for Gmail"),
  sample("invalid", "reserved_domain", "ann@example.com", "a name kept for documentation"),
  sample("invalid", "domain_not_found", "ann@nowhere.example-lab.com", "no such name"),
  sample("invalid", "no_mail_server", "ann@web-only.example-lab.com", "neither MX nor address"),
  sample("invalid", "null_mx", "ann@null.example-lab.com", "the domain says that it takes no mail"),
  sample("invalid", "unroutable_mail_server", "ann@inside.example-lab.com", "its only MX is at 10.0.0.25"),
  sample("invalid", "mailbox_not_found", "eve@polite.example-lab.com", "no such user"),
  sample("invalid", "mailbox_not_found", "eve@firm.example-lab.com", "no such user, in Microsoft's words"),
  sample("invalid", "mailbox_disabled", "former@closed.example-lab.com", "the mailbox is closed"),
  sample("invalid", "domain_not_accepted", "ann@stranger.example-lab.com", "its mail host does not serve it"),
  sample("invalid", "smtputf8_unsupported", "jörg@ascii.example-lab.com", "no SMTPUTF8 there"),
  sample("risky", "disposable", "ann@mailinator.com", "a throw-away provider"),
  sample("risky", "catch_all", "ann@open.example-lab.com", "any name is accepted"),
  sample("risky", "catch_all", "annabel.lab@yahoo.com", "an imitation of Yahoo: yes to everyone at RCPT"),
  sample("risky", "role_based", "info@polite.example-lab.com", "a team's mailbox"),
  sample("risky", "restricted", "staff@insiders.example-lab.com", "a group that takes no mail from outside"),
  sample("risky", "mailbox_full", "max@full.example-lab.com", "over quota"),
  sample("risky", "possible_typo", "annabel.lab@gmial.com", "accepted, but did they mean Gmail?"),
  sample("unknown", "greylisted", "ann@grey.example-lab.com", "come back in five minutes"),
  sample("unknown", "rate_limited", "ann@busy.example-lab.com", "too much mail from us"),
  sample("unknown", "probe_blocked", "ann@blocks.example-lab.com", "our address is on a list"),
  sample("unknown", "probe_blocked", "annabel.lab@gmx.de", "an imitation of GMX, closed to us at the banner"),
  sample("unknown", "temporary_error", "ann@ill.example-lab.com", "a lookup fails over there"),
  sample("unknown", "smtp_unreachable", "ann@down.example-lab.com", "nothing listens at its only mail host"),
  sample("unknown", "smtp_timeout", "ann@mute.example-lab.com", "it takes the call and says nothing"),
  sample("unknown", "smtp_protocol_error", "ann@babble.example-lab.com", "bytes that are no reply"),
  sample("unknown", "smtp_protocol_error", "ann@rude.example-lab.com", "hangs up after EHLO"),
  sample("unknown", "dns_error", "ann@broken-names.example-lab.com", "its name server fails"),
  sample("unknown", "dns_error", "ann@silent-names.example-lab.com", "its name server does not answer"),
];
