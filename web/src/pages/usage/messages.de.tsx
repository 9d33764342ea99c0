/** German texts of the usage page: credits, usage, bounce feedback, ledger. */
import type { Status } from "@mailvet/contract";
import { formatNumber, plural } from "../../components/number-format.ts";
import { common } from "../../messages.de.ts";
import type { Translation } from "../../translation.ts";
import type * as english from "./messages.tsx";

const PREDICTED = "Vorhergesagt";
const CALIBRATED = "Nach dem Lernen";
const ACTUAL = "Tatsächlich";

/** Dative, after "von". */
const ofMailboxes = (count: number) => plural(count, "Postfach", "Postfächern");

export const messages: Translation<typeof english.messages> = {
  title: "Nutzung und Credits",
  intro: "Ein Credit pro Bewertung. Doppelte Adressen und fehlgeschlagene Anfragen sind kostenlos.",

  balance: {
    available: "Verfügbar",
    plan: (plan) => `Tarif: ${plan}`,
    outOfCredits: `Ihr Guthaben ist aufgebraucht. ${common.askForCredits}`,
    reserved: "Reserviert",
    reservedHint: "Für laufende Aufträge; nicht verbrauchte Credits werden zurückgegeben.",
  },

  usage: {
    title: "Nutzung",
    range: "Zeitraum",
    days: (days) => `${days} Tage`,
    key: "API-Schlüssel",
    allKeys: "Alle Schlüssel",
    webApp: "Web-App",
    revokedKey: (name) => `${name} (widerrufen)`,
    unnamedKey: (shortId) => `Schlüssel ${shortId}`,
    download: "CSV herunterladen",
    none: (days) => `Keine Prüfungen in den letzten ${days} Tagen`,
    noneText: "Jede Adresse mit einer Bewertung wird hier gezählt, nach Tag und Schlüssel.",
    checkAddress: "Adresse prüfen",
    total: (addresses, credits) => `${common.addresses(addresses)} geprüft für ${common.credits(credits)}`,
    byKey: "Nach Schlüssel",
    keyColumn: "Schlüssel",
    checked: "Geprüft",
    credits: "Credits",
  },

  chart: {
    label: (days, addresses, counts) =>
      `Balkendiagramm der letzten ${days} Tage: ${common.addresses(addresses)} geprüft, ${counts}.`,
    count: (count, status: Status) => `${formatNumber(count)} ${common.status[status].toLowerCase()}`,
    total: "Gesamt",
    totalBefore: "Zeitraum davor",
    before: (days, addresses) => `${days} Tage davor: ${common.addresses(addresses)}`,
    change: (change) => `${change} seitdem`,
    points: (points) =>
      `${points < 0 ? "−" : "+"}${plural(Math.abs(points), "Prozentpunkt", "Prozentpunkte")}`,
    utc: "Tage in UTC.",
    showTable: "Tabelle anzeigen",
    hideTable: "Tabelle ausblenden",
    table: "Bewertungen pro Tag",
    noneInRange: "Keine Prüfungen in diesem Zeitraum.",
    caption: "Tage ohne Prüfungen sind nicht aufgeführt.",
    day: "Tag",
  },

  feedback: {
    title: "Bounce-Meldungen",
    intro:
      "Laden Sie Zustellergebnisse hoch, um Ihre Scores zu verbessern. Kostenlos und nur für Ihr Konto verwendet.",
    none: "Noch keine Meldungen",
    noneText:
      "Prüfen Sie eine Liste, versenden Sie an sie, und laden Sie dann den Export Ihres Versanddienstes hoch: eine Datei mit jeder Adresse und ihrem Ergebnis, etwa delivered, bounced oder complained. Oder nutzen Sie die API:",
    command: "Befehl",
    totals: (total, delivered, bounced, complained) =>
      `${common.mailboxes(total)} mit Ergebnis: ${formatNumber(delivered)} zugestellt, ${formatNumber(bounced)} unzustellbar, ${formatNumber(complained)} mit Beschwerde.`,
    comparison: (mailboxes, actual, predicted, calibrated) => (
      <>
        Von {ofMailboxes(mailboxes)}, die vorher geprüft wurden, waren {actual} unzustellbar. Vorhergesagt:{" "}
        {predicted}; nach dem Lernen: {calibrated}.
      </>
    ),
    notComparable:
      "Keines davon wurde hier vorher geprüft, daher gibt es noch nichts zu vergleichen. Prüfen Sie eine Liste, bevor Sie an sie versenden, und laden Sie dann die Zustellergebnisse hoch.",

    upload: "Zustellergebnisse hochladen",
    uploadHint:
      "Legen Sie den Export Ihres Versanddienstes hier ab, oder wählen Sie ihn aus. Spalten werden automatisch erkannt.",
    uploadInput: "Datei mit Zustellergebnissen",
    reading: (name) => `${name} wird gelesen …`,
    rejected: (name) => `${name} wurde abgelehnt`,
    stored: (stored, rows) => `${formatNumber(stored)} von ${common.rows(rows)} gespeichert`,
    matched: (name, matched) => `Aus ${name}. ${common.mailboxes(matched)} vorher geprüft.`,
    superseded: (count) => `${common.rows(count)} übersprungen: Neuere Ergebnisse liegen bereits vor`,
    ignored: (count) =>
      `${common.rows(count)} ignoriert: Soft Bounce, Verzögerung, Sandbox-Adresse oder zu alt`,
    unreadable: (count) => `${common.rows(count)} nicht lesbar`,
    unreadableRow: (row, reason) => `Zeile ${row}: ${reason}`,
    more: (count) => `und ${plural(count, "weitere Zeile", "weitere Zeilen")}`,

    delete: "Alle Meldungen löschen",
    deleteTitle: "Alle Meldungen löschen?",
    deleteConfirm: "Meldungen löschen",
    deleteCancel: "Meldungen behalten",
    deleteText:
      "Alle Zustellergebnisse werden endgültig gelöscht, und Ihre Scores werden nicht mehr durch sie angepasst.",

    bars: { predicted: PREDICTED, calibrated: CALIBRATED, real: ACTUAL },
    week: (week) => `Woche vom ${week}`,
    results: "Ergebnisse",
    noChart: "Bounce-Raten pro Woche: noch keine Daten.",
    chart: (weeks, predicted, calibrated, actual) =>
      `Balkendiagramm der Bounce-Raten in ${plural(weeks, "Woche", "Wochen")}. Letzte Woche: ${predicted} vorhergesagt, ${calibrated} nach dem Lernen, ${actual} tatsächlich.`,

    groupBy: "Gruppieren",
    table: (view) => `Bounce-Raten, ${view.charAt(0).toLowerCase()}${view.slice(1)}`,
    views: {
      week: ["Nach Woche", "Woche vom"],
      score: ["Nach Score", common.score],
      provider: ["Nach Anbieter", "Anbieter"],
    },
    columns: [PREDICTED, CALIBRATED, ACTUAL, "Ergebnisse"],
  },

  ledger: {
    title: "Buchungen",
    intro:
      "Credits werden reserviert, während ein Auftrag läuft, und pro Bewertung verbraucht. Nicht verbrauchte Credits werden zurückgegeben.",
    entries: "Buchungen",
    none: "Noch keine Buchungen",
    noneText: "Credits, die Sie erhalten oder verbrauchen, stehen hier.",
    noSuchPage: "Diese Seite gibt es nicht",
    firstPage: "Zur ersten Seite",
    filter: "Buchungen filtern",
    filters: { all: "Alle", job: "Aufträge", checks: "Prüfungen", grant: "Gutschriften" },
    kindNames: { job: "Auftrag", grant: "Gutschrift" },
    checksOf: (day) => `Prüfungen am ${day}`,
    refundedOf: (refunded, charged) =>
      `${formatNumber(charged)} berechnet, ${formatNumber(refunded)} erstattet`,
    reservedNow: (count) => `${formatNumber(count)} reserviert`,
    showEntries: (count) => plural(count, "Eintrag", "Einträge"),
    hideEntries: "Ausblenden",
    latestEntries: (shown, total) => `Die letzten ${formatNumber(shown)} von ${formatNumber(total)}.`,
    reservedChange: (change) => `${change} reserviert`,
    balanceAfter: (balance) => `${formatNumber(balance)} übrig`,
    request: (id) => `Anfrage ${id}`,
    job: (shortId) => `Auftrag ${shortId}`,
    kinds: {
      grant: "Credits vergeben",
      adjust: "Credits abgezogen",
      reserve: "Reserviert",
      settle: "Verbraucht",
      release: "Zurückgegeben",
      refund: "Erstattet",
    },
  },
};
