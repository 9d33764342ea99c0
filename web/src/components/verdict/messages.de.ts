/** A verdict in a few German words, for badges. */
import type { Status, SubStatus } from "@mailvet/contract";
import type * as english from "./messages.ts";

const STATUSES: Record<Status, string> = {
  valid: "gültig",
  risky: "riskant",
  unknown: "unbekannt",
  invalid: "ungültig",
};

const SUB_STATUSES: Record<Exclude<SubStatus, "">, string> = {
  privacy_relay: "Weiterleitungsdienst",
  agent_mailbox: "Postfach eines Agenten",
  syntax_error: "Syntaxfehler",
  provider_syntax: "unmögliche Adresse",
  reserved_domain: "reservierte Domain",
  domain_not_found: "Domain existiert nicht",
  no_mail_server: "kein Mailserver",
  null_mx: "nimmt keine Mail an",
  unroutable_mail_server: "Mailserver ohne öffentliche Adresse",
  mailbox_not_found: "Postfach existiert nicht",
  mailbox_disabled: "Postfach deaktiviert",
  domain_not_accepted: "Domain nicht angenommen",
  smtputf8_unsupported: "ohne SMTPUTF8",
  disposable: "Wegwerfadresse",
  catch_all: "Catch-all",
  role_based: "Funktionsadresse",
  mailbox_full: "Postfach voll",
  restricted: "eingeschränkt",
  possible_typo: "möglicher Tippfehler",
  low_quality: "zufälliger Name",
  greylisted: "Greylisting",
  rate_limited: "Anfragen begrenzt",
  probe_blocked: "Prüfung blockiert",
  temporary_error: "vorübergehender Fehler",
  smtp_unreachable: "Server nicht erreichbar",
  smtp_timeout: "Zeitüberschreitung",
  smtp_protocol_error: "Serverfehler",
  egress_blocked: "Port 25 blockiert",
  server_untrusted: "Server nicht verlässlich",
  smtp_skipped: "Postfach nicht geprüft",
  dns_error: "DNS-Fehler",
  internal_error: "interner Fehler",
};

export const verdictLabel: typeof english.verdictLabel = (status, subStatus) =>
  subStatus === ""
    ? STATUSES[status]
    : `${STATUSES[status]} · ${SUB_STATUSES[subStatus as never] ?? subStatus}`;
