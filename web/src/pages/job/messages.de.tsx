/** German texts of the job page: progress, actions, downloads, results, and the reasons for verdicts. */
import type { JobStatus, Status, SubStatus } from "@mailvet/contract";
import { formatNumber, plural } from "../../components/number-format.ts";
import { common, JOB_STATUSES } from "../../messages.de.ts";
import type { Translation } from "../../translation.ts";
import type * as english from "./messages.tsx";

/** After "die übrigen". */
const restOf = (left: number) =>
  left === 1 ? "Die letzte Adresse wird" : `Die übrigen ${formatNumber(left)} Adressen werden`;

export const messages: Translation<typeof english.messages> = {
  allJobs: "← Alle Aufträge",
  intro: (column, startedAt) => (
    <>
      Spalte „{column}“, gestartet {startedAt}.
    </>
  ),
  failed: "Der Auftrag konnte nicht geladen werden",
  errorTitle: () => "Der Auftrag ist fehlgeschlagen",
  notLive: "Der Fortschritt wird nicht laufend angezeigt",

  notFound: {
    title: "Auftrag nicht gefunden",
    reason: "Vielleicht wurde er gelöscht",
    hint: "Oder er gehört zu einem anderen Konto, oder der Link enthält einen Tippfehler.",
    back: "Zu den Aufträgen",
  },
  noResults: {
    none: "Keine Ergebnisse",
    noneText: "Nur die Zahlen oben sind verfügbar.",
    expired: "Die Ergebnisse sind abgelaufen",
    expiredText: (at) => <>Sie wurden bis {at} aufbewahrt. Die Zahlen oben bleiben.</>,
  },

  actions: {
    pause: "Anhalten",
    resume: "Fortsetzen",
    cancel: "Abbrechen",
    finish: "Jetzt abschließen",
    delete: common.delete,
    pending: {
      pause: "Wird angehalten …",
      resume: "Wird fortgesetzt …",
      cancel: "Wird abgebrochen …",
      finish: "Wird abgeschlossen …",
    },
    confirm: {
      cancel: {
        title: "Diesen Auftrag abbrechen?",
        button: "Auftrag abbrechen",
        text: (left) =>
          `Bisherige Bewertungen bleiben und können sofort heruntergeladen werden. ${restOf(left)} nicht geprüft und nicht berechnet. Ein abgebrochener Auftrag kann nicht fortgesetzt werden.`,
      },
      finish: {
        title: "Diesen Auftrag jetzt abschließen?",
        button: "Auftrag abschließen",
        text: (left) =>
          `${restOf(left)} als unbekannt bewertet. Was noch nicht geprüft wurde, wird nicht berechnet; was auf eine Wiederholung wartet, wird wie jede Bewertung berechnet.`,
      },
    },
    deleteTitle: "Diesen Auftrag löschen?",
    deleteConfirm: "Auftrag löschen",
    deleteText: (isRunning) =>
      `${isRunning ? "Der Auftrag wird zuerst abgebrochen. " : ""}Die Datei und alle Ergebnisse werden endgültig gelöscht. Laden Sie vorher herunter, was Sie behalten möchten.`,
    keep: "Auftrag behalten",
  },

  downloads: {
    button: "Herunterladen",
    title: "Downloads",
    intro: "Ihre Zeilen und Spalten, ergänzt um die Bewertungen.",
    rows: "Zeilen",
    formats: { csv: "CSV", xlsx: "Excel", ndjson: "NDJSON" },
    all: ["Alle Zeilen", "die ganze Datei"],
    hints: {
      valid: "zustellbar",
      risky: "Ihre Entscheidung",
      unknown: "später erneut prüfen",
      invalid: "weglassen",
    },
    link: (rows, format) => `${rows} als ${format}`,
    safe: ["Zustellbar", "empfohlen"],
    filtered: ["Gefilterte Zeilen", "wie unten angezeigt"],
    columns: "Spalten",
    columnChoices: [
      ["", "Alle Spalten"],
      ["email,status,sub_status,score", "Adresse und Bewertung"],
      ["email,status,sub_status,score,reason,suggestion", "Adresse, Bewertung und Grund"],
    ],
    more: "Weitere Formate",
    forExcel: "CSV für Excel",
    zip: "ZIP, eine Datei je Bewertung",
    partial: "Der Auftrag läuft noch: Zeilen ohne Bewertung sind mit „pending“ markiert.",
  },

  progress: {
    rate: (perSecond) =>
      perSecond >= 1
        ? `im Mittel ${formatNumber(Math.round(perSecond))} pro Sekunde`
        : `im Mittel ${formatNumber(Math.max(1, Math.round(perSecond * 60)))} pro Minute`,
    keptUntil: (at) => <>Die Ergebnisse werden bis {at} aufbewahrt.</>,
    queued: "Wartet auf den Start. Sie können diese Seite schließen. Der Auftrag läuft weiter.",
    processing: "Sie können diese Seite schließen. Der Auftrag läuft weiter.",
    retrying: (left) =>
      `Noch ${common.emails(left)}, die erneut geprüft werden. Sie können diese Seite schließen. Der Auftrag läuft weiter.`,
    finishing:
      "Wird mit den bisherigen Bewertungen abgeschlossen; weitere Adressen werden nicht geprüft. Sie können diese Seite schließen. Der Auftrag läuft weiter.",
    waitingForServers: "wartet auf Mailserver",
    retries: (waiting) =>
      `Warten auf eine Wiederholung: ${waiting.map(([name, count]) => `${name} (${formatNumber(count)})`).join(", ")}.`,
    refuses: (provider, since, emails) => (
      <>
        {provider} weist diese Installation seit {since} ab. {common.emails(emails)}{" "}
        {emails === 1 ? "wartet" : "warten"} darauf und kosten nichts, solange sie nicht geprüft sind.
      </>
    ),
    nextAttempt: (at) => <>Nächster Versuch {at}.</>,
    nextAttemptSoon: "Nächster Versuch innerhalb einer Minute.",
    paused:
      "Angehalten. Laufende Prüfungen werden beendet; sonst läuft nichts, bis Sie fortsetzen. Credits bleiben reserviert.",
    completed: (took) => `Abgeschlossen in ${took}.`,
    cancelled: (at) => (
      <>Abgebrochen {at}. Bisherige Bewertungen bleiben; nicht verbrauchte Credits wurden zurückgegeben.</>
    ),
    failed:
      "Der Auftrag endete vorzeitig. Bisherige Bewertungen bleiben; nicht verbrauchte Credits wurden zurückgegeben.",
    announceEnd: (status: JobStatus) => `Der Auftrag ist ${JOB_STATUSES[status]}.`,
    announcePercent: (percent) => `${percent} Prozent der Adressen haben eine Bewertung.`,
  },

  recheck: {
    open: "Erneut prüfen",
    title: "Erneut prüfen",
    which: "Welche Ergebnisse erneut prüfen",
    choices: {
      unknown: (count) => `Unbekannt (${formatNumber(count)})`,
      risky: (count) => `Riskant (${formatNumber(count)})`,
      all: (count) => `Alle (${formatNumber(count)})`,
    },
    cost: "Kostet einen Credit pro Adresse. Unbekannte Ergebnisse der letzten 24 Stunden sind kostenlos. Ein neues Ergebnis ersetzt das alte, außer es sagt weniger aus; das vorherige bleibt sichtbar.",
    confirm: "Erneut prüfen",
    was: (status: Status) => `vorher ${common.status[status].toLowerCase()}`,
  },

  facts: {
    rows: "Zeilen in der Datei",
    emails: "Zeilen mit Adresse",
    unique: "Verschiedene Adressen",
    duplicates: "Doppelte",
    creditsUsed: "Verbrauchte Credits",
    used: (used, refunded) =>
      refunded === 0 ? formatNumber(used) : `${formatNumber(used)}, ${formatNumber(refunded)} erstattet`,
    creditsReserved: "Reservierte Credits",
    finished: "Abgeschlossen",
  },

  outcome: {
    title: "Ergebnis",
    safe: (share) => `${share} zustellbar`,
    bounce: (share) => `${share} unzustellbar`,
    done: (share) => `${share} geprüft`,
    soFar: (safe) => `${safe} bisher`,
  },

  reasons: {
    title: "Gründe",
    empty: "Wird mit den ersten Bewertungen angezeigt.",
    more: (count) => `${plural(count, "weiteren Grund", "weitere Gründe")} anzeigen`,
    fewer: "Weniger anzeigen",
    advice: (status: Status, recommendation) =>
      common.status[status].toLowerCase() +
      (recommendation ? ` · ${lowerFirst(common.recommendations[recommendation])}` : ""),
  },

  results: {
    title: "Ergebnisse",
    search: "Adressen suchen",
    clear: "Suche zurücksetzen",
    filter: "Nach Bewertung filtern",
    all: "Alle",
    failed: "Die Ergebnisse konnten nicht geladen werden",
    none: "Noch keine Zeilen",
    noneText: "Sie werden angezeigt, sobald die Datei gelesen ist.",
    waiting: "Wartet",
    status: (status) => (status === "pending" ? "wartet" : common.status[status].toLowerCase()),
    open: (email) => `Prüfung von ${email} anzeigen`,
    soFar: (settled, all) =>
      `; bisher haben ${formatNumber(settled)} von ${common.emails(all)} eine Bewertung`,
    more: {
      button: (count) => (count > 0 ? `Filter (${count})` : "Filter"),
      title: "Weitere Filter",
      safe: "Nur zustellbare",
      reason: "Grund",
      any: "Alle",
      min_score: "Niedrigster Score",
      max_score: "Höchster Score",
      domain: "Domain",
      provider: "Anbieter",
      sort: "Sortieren nach",
      orders: [
        ["", "Zeile"],
        ["-score", "Score, höchster zuerst"],
        ["score", "Score, niedrigster zuerst"],
        ["email", "Adresse"],
        ["domain", "Domain"],
        ["-checked_at", "Zuletzt geprüft"],
      ],
      reset: "Filter zurücksetzen",
    },
    truncated: (shown, total) =>
      `Die ersten ${formatNumber(shown)} von ${formatNumber(total)} Zeilen; der Download enthält alle`,
    noMatch: "Keine passenden Zeilen",
    noMatchText: "Ändern Sie die Filter oben, oder setzen Sie sie zurück.",
    row: "Zeile",
    duplicate: "doppelt",
    pending: { name: "Wartet", meaning: "Es gibt noch keine Bewertung." },
  },

  story: {
    title: (row) => `Zeile ${row}`,
    failed: "Die Prüfung konnte nicht geladen werden",
    checkAgain: (price) => `Erneut prüfen (${price})`,
    copySuggestion: "Vorschlag kopieren",
  },
};

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

const SUB_STATUSES: Readonly<Record<SubStatus, readonly [status: Status, name: string, meaning: string]>> = {
  "": ["valid", "Postfach angenommen", "Der Server nimmt dieses Postfach an und lehnt erfundene ab."],
  privacy_relay: [
    "valid",
    "Weiterleitungsdienst",
    "Angenommen; der Dienst leitet an ein privates Postfach weiter.",
  ],
  agent_mailbox: ["valid", "Postfach eines Agenten", "Angenommen; ein Software-Agent liest dieses Postfach."],

  syntax_error: ["invalid", "Fehlerhafte Adresse", "Die Adresse verletzt die Syntaxregeln."],
  provider_syntax: [
    "invalid",
    "Unmögliche Adresse",
    "Bei diesem Anbieter kann es diese Adresse nicht geben.",
  ],
  reserved_domain: [
    "invalid",
    "Reservierte Domain",
    "Die Domain ist reserviert und kann keine Mail empfangen.",
  ],
  domain_not_found: [
    "invalid",
    "Domain existiert nicht",
    "Im DNS gibt es diese Domain nicht, oder sie hat keine öffentliche Adresse.",
  ],
  no_mail_server: ["invalid", "Kein Mailserver", "Die Domain existiert, hat aber keinen Mailserver."],
  null_mx: ["invalid", "Domain nimmt keine Mail an", "Die Domain veröffentlicht einen Null-MX-Eintrag."],
  unroutable_mail_server: [
    "invalid",
    "Mailserver unerreichbar",
    "Keiner ihrer Mailserver hat eine öffentliche Adresse.",
  ],
  mailbox_not_found: ["invalid", "Postfach existiert nicht", "Laut Server gibt es dieses Postfach nicht."],
  mailbox_disabled: ["invalid", "Postfach deaktiviert", "Es existiert, ist aber deaktiviert oder gesperrt."],
  domain_not_accepted: [
    "invalid",
    "Domain nicht angenommen",
    "Ihre Mailserver nehmen keine Mail für diese Domain an.",
  ],
  smtputf8_unsupported: [
    "invalid",
    "Ohne SMTPUTF8",
    "Der Server kann keine Adressen mit Nicht-ASCII-Zeichen verarbeiten.",
  ],

  disposable: ["risky", "Wegwerfadresse", "Eine vorübergehende Adresse bei einem Wegwerfdienst."],
  catch_all: [
    "risky",
    "Catch-all-Domain",
    "Der Server nimmt jeden Namen an, daher ist dieses Postfach nicht bestätigt.",
  ],
  role_based: ["risky", "Funktionsadresse", "Ein gemeinsames Postfach wie info@ oder vertrieb@."],
  mailbox_full: ["risky", "Postfach voll", "Es existiert, aber sein Speicher ist voll."],
  restricted: ["risky", "Eingeschränkt", "Es existiert, nimmt aber keine Mail von externen Absendern an."],
  possible_typo: ["risky", "Möglicher Tippfehler", "Die Domain ähnelt der eines großen Anbieters."],
  low_quality: ["risky", "Zufälliger Name", "Angenommen, aber der Name sieht zufällig aus."],

  greylisted: [
    "unknown",
    "Greylisting",
    "Der Server bat um einen späteren Versuch, und die Zeit reichte nicht.",
  ],
  rate_limited: ["unknown", "Anfragen begrenzt", "Der Server hat unsere Anfragen begrenzt."],
  probe_blocked: ["unknown", "Prüfung blockiert", "Das sagt nichts über das Postfach aus."],
  temporary_error: ["unknown", "Vorübergehender Fehler", "Der Server meldete einen vorübergehenden Fehler."],
  smtp_unreachable: [
    "unknown",
    "Server nicht erreichbar",
    "Keiner ihrer Mailserver hat eine Verbindung angenommen.",
  ],
  smtp_timeout: ["unknown", "Zeitüberschreitung", "Der Server hat nicht rechtzeitig geantwortet."],
  smtp_protocol_error: ["unknown", "Serverfehler", "Die Verbindung brach ab, oder die Antwort war ungültig."],
  egress_blocked: ["unknown", "Port 25 blockiert", "Diese Installation erreicht keine Mailserver."],
  server_untrusted: ["unknown", "Server nicht verlässlich", "Er unterschied Postfächer nicht erkennbar."],
  smtp_skipped: [
    "unknown",
    "Postfach nicht geprüft",
    "Der Auftrag wurde vorher abgeschlossen, oder ohne den Mailserver zu fragen.",
  ],
  dns_error: ["unknown", "DNS-Fehler", "Die Nameserver der Domain haben nicht geantwortet."],
  internal_error: ["unknown", "Interner Fehler", "Bei uns ist etwas schiefgelaufen."],
};

export const subStatusText: typeof english.subStatusText = (subStatus) => {
  const row = Object.hasOwn(SUB_STATUSES, subStatus) ? SUB_STATUSES[subStatus as SubStatus] : undefined;
  if (!row) return { status: "unknown", name: subStatus.replaceAll("_", " "), meaning: "" };
  const [status, name, meaning] = row;
  return { status, name, meaning };
};
