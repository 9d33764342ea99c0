/** German texts of the audit log pages. */
import { formatNumber } from "../../components/number-format.ts";
import { common } from "../../messages.de.ts";
import type { Translation } from "../../translation.ts";
import type * as english from "./messages.tsx";

const DETAILS: Readonly<Record<string, string>> = {
  amount: "Credits",
  changed: "Geändert",
  format: "Format",
  from: "Von",
  host: "Host",
  job_emails: "E-Mails zu Aufträgen",
  kind: "Warteschlange",
  low_credits_threshold: "E-Mail bei Guthaben unter",
  method: "Mit",
  mode: "Modus",
  name: "Name",
  prefix: "Schlüssel",
  reason: "Grund",
  schedule: "Zeitplan",
  scopes: "Rechte",
  to: "Auf",
};

/** Values with a name, by detail; others are shown as they are. */
const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  from: common.plans,
  to: common.plans,
  kind: { jobs: "Aufträge", rechecks: "Wiederholungen", webhooks: "Webhooks" },
  low_credits_threshold: { none: "keine" },
  method: {
    password: "Passwort",
    code: "Zwei-Faktor-Code",
    recovery_code: "Wiederherstellungscode",
    passkey: "Passkey",
    sign_up: "Registrierung",
    email_link: "Link in einer E-Mail",
  },
  mode: { live: "Live", test: "Test" },
  reason: { password: "Passwort", passkey: "Passkey", email_not_confirmed: "E-Mail-Adresse nicht bestätigt" },
  schedule: { never: "nie", daily: "jeden Tag", weekly: "jede Woche", monthly: "jeden Monat" },
};

/** Fields of an endpoint, as "changed" lists them. */
const FIELDS: Readonly<Record<string, string>> = {
  url: "URL",
  description: "Beschreibung",
  events: "Ereignisse",
  is_enabled: "Aktivierung",
};

function valueText(name: string, value: string | number | boolean): string {
  if (typeof value === "boolean") return value ? "ja" : "nein";
  if (typeof value === "number") return formatNumber(value);
  if (name === "changed") return value.replace(/\w+/g, (field) => FIELDS[field] ?? field);
  return VALUES[name]?.[value] ?? value;
}

export const messages: Translation<typeof english.messages> = {
  title: "Audit-Log",
  intro: "Anmeldungen, Schlüssel, Webhooks, Tarif und andere Änderungen Ihres Kontos.",
  operatorTitle: "Alle Audit-Logs",
  operatorIntro: "Anmeldungen und Änderungen in allen Konten.",
  actions: {
    "account.created": "Konto erstellt",
    "account.invited": "Inhaber eingeladen",
    "account.suspended": "Konto gesperrt",
    "account.resumed": "Konto freigegeben",
    "account.exported": "Konto exportiert",
    "account.erasure_requested": "Konto vom Betreiber gelöscht",
    "account.closed": "Konto vom Inhaber geschlossen",
    "account.deleted": "Alle Daten des Kontos gelöscht",
    "email.change_requested": "Änderung der E-Mail-Adresse angefordert",
    "email.changed": "E-Mail-Adresse geändert",
    "sessions.ended": "Alle Sitzungen beendet",
    "sign_in.succeeded": "Angemeldet",
    "sign_in.failed": "Anmeldung fehlgeschlagen",
    "sign_in.code_requested": "Zwei-Faktor-Code abgefragt",
    "sign_in.code_failed": "Zwei-Faktor-Code abgelehnt",
    sign_out: "Abgemeldet",
    "session.ended": "Sitzung beendet",
    "password.changed": "Passwort geändert",
    "password.reset_requested": "Zurücksetzen des Passworts angefordert",
    "password.reset": "Passwort zurückgesetzt",
    "two_factor.enabled": "Zwei-Faktor-Anmeldung aktiviert",
    "two_factor.disabled": "Zwei-Faktor-Anmeldung deaktiviert",
    "two_factor.recovery_codes_replaced": "Wiederherstellungscodes ersetzt",
    "passkey.added": "Passkey hinzugefügt",
    "passkey.renamed": "Passkey umbenannt",
    "passkey.removed": "Passkey entfernt",
    "key.created": "API-Schlüssel erstellt",
    "key.revoked": "API-Schlüssel widerrufen",
    "operator_key.created": "Betreiberschlüssel erstellt",
    "operator_key.revoked": "Betreiberschlüssel widerrufen",
    "webhook.created": "Webhook erstellt",
    "webhook.changed": "Webhook geändert",
    "webhook.secret_rotated": "Webhook-Geheimnis erneuert",
    "webhook.disabled": "Webhook nach Fehlern deaktiviert",
    "webhook.deleted": "Webhook gelöscht",
    "job.downloaded": "Ergebnisse heruntergeladen",
    "job.deleted": "Auftrag gelöscht",
    "job.paused": "Auftrag vom Betreiber angehalten",
    "job.resumed": "Auftrag vom Betreiber fortgesetzt",
    "job.cancelled": "Auftrag vom Betreiber abgebrochen",
    "list.created": "Liste gespeichert",
    "list.changed": "Liste geändert",
    "list.deleted": "Liste gelöscht",
    "notifications.changed": "Benachrichtigungen geändert",
    "feedback.deleted": "Bounce-Meldungen gelöscht",
    "plan.changed": "Tarif geändert",
    "credits.granted": "Credits vergeben oder abgezogen",
    "dead_letter.redriven": "Fehlgeschlagene Aufgabe neu gestartet",
    "audit.exported": "Audit-Log exportiert",
  },
  filters: {
    title: "Filter",
    action: "Aktion",
    every: "Alle Aktionen",
    from: "Von",
    to: "Bis",
    account: "Konto-ID",
    accountInvalid: "Geben Sie die vollständige ID eines Kontos ein.",
  },
  export: "CSV exportieren",
  more: "Mehr anzeigen",
  none: "Keine Einträge",
  noneText: "Es wurde nichts aufgezeichnet, oder die Filter schließen es aus.",
  columns: { time: "Zeit", action: "Aktion", actor: "Von", account: "Konto", network: "Netzwerk" },
  noAccount: "Unbekanntes Konto",
  actors: {
    session: "Web-App",
    api_key: "API-Schlüssel",
    operator_key: "Betreiberschlüssel",
    operator: "Betreiber",
    anonymous: "Nicht angemeldet",
    system: "Mailvet",
  },
  asOperator: (kind) => `Betreiber · ${kind}`,
  shortId: (id) => `${id.slice(0, 8)}…`,
  detail: (name, value) => `${DETAILS[name] ?? name.replaceAll("_", " ")}: ${valueText(name, value)}`,
};
