/** Every reason for a verdict in words: what to call it, and what it means for whoever wants to write there. */
import type { Status, SubStatus } from "@mailvet/contract";

type Words = readonly [status: Status, name: string, meaning: string];

const WORDS: Readonly<Record<SubStatus, Words>> = {
  "": ["valid", "Mailbox accepted", "The server takes mail for it and refuses made-up names."],
  privacy_relay: ["valid", "Privacy relay", "Accepted; the relay passes mail on to a hidden address."],

  syntax_error: ["invalid", "Not an address", "It breaks the rules for how an address is written."],
  provider_syntax: ["invalid", "Impossible at its provider", "The provider never gives out such a name."],
  reserved_domain: ["invalid", "Reserved domain", "The domain is set aside and can have no mail."],
  domain_not_found: ["invalid", "Domain does not exist", "The name servers know no such domain."],
  no_mail_server: ["invalid", "No mail server", "The domain exists, but nothing there takes mail."],
  null_mx: ["invalid", "Domain takes no mail", "Its owner has declared that it takes none."],
  unroutable_mail_server: [
    "invalid",
    "Mail server out of reach for all",
    "Its mail servers have no public address.",
  ],
  mailbox_not_found: ["invalid", "No such mailbox", "The server says that nobody has this name."],
  mailbox_disabled: ["invalid", "Mailbox closed", "It exists, but is closed or suspended."],
  domain_not_accepted: ["invalid", "Domain not served", "Its mail servers say they are not responsible."],
  smtputf8_unsupported: ["invalid", "Characters not taken", "The server cannot take letters like these."],

  disposable: ["risky", "Disposable", "A throw-away address, gone soon."],
  catch_all: ["risky", "Catch-all domain", "The server takes any name, so this one is unproven."],
  role_based: ["risky", "Role or team", "A shared mailbox such as info@ or sales@."],
  mailbox_full: ["risky", "Mailbox full", "It exists, but has no room at the moment."],
  restricted: ["risky", "Insiders only", "It exists, but takes no mail from outside senders."],
  possible_typo: ["risky", "Probably mistyped", "The domain looks like a large provider's, but is not."],
  low_quality: ["risky", "Looks made up", "Accepted, but the name looks random."],

  greylisted: ["unknown", "Asked to come back later", "The server wanted us to try again, and time ran out."],
  rate_limited: ["unknown", "Server limits questions", "The server wanted fewer questions from us."],
  probe_blocked: ["unknown", "Server refuses us", "It refused us, which says nothing about the mailbox."],
  temporary_error: ["unknown", "Trouble at the server", "A passing failure on their side."],
  smtp_unreachable: ["unknown", "Server unreachable", "None of its mail servers took a connection."],
  smtp_timeout: ["unknown", "Server too slow", "No answer within the time allowed."],
  smtp_protocol_error: ["unknown", "Broken conversation", "The server hung up or made no sense."],
  egress_blocked: ["unknown", "Port 25 is closed here", "This installation cannot reach mail servers."],
  smtp_skipped: ["unknown", "Mailbox not asked", "Asking mail servers is switched off here."],
  dns_error: ["unknown", "DNS trouble", "The domain's name servers gave no answer."],
  internal_error: ["unknown", "Our own trouble", "Something went wrong on our side."],
};

export type SubStatusWords = { status: Status; name: string; meaning: string };

/** A service newer than this page may know more reasons; those are shown by their bare names. */
export function subStatusWords(subStatus: string): SubStatusWords {
  const words = Object.hasOwn(WORDS, subStatus) ? WORDS[subStatus as SubStatus] : undefined;
  if (!words) return { status: "unknown", name: subStatus.replaceAll("_", " "), meaning: "" };
  const [status, name, meaning] = words;
  return { status, name, meaning };
}
