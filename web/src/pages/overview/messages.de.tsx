/** German texts of the overview. */
import { formatNumber } from "../../components/number-format.ts";
import { common } from "../../messages.de.ts";
import type { Translation } from "../../translation.ts";
import type * as english from "./messages.tsx";

const sign = (value: number) => (value < 0 ? "−" : "+");

export const messages: Translation<typeof english.messages> = {
  title: "Übersicht",
  intro: (days) => `Ihr Konto in den letzten ${days} Tagen.`,
  checkAddress: "Adresse prüfen",
  uploadList: "Liste hochladen",
  verdictsPerDay: "Bewertungen pro Tag",
  recentJobs: "Letzte Aufträge",
  allJobs: "Alle Aufträge",
  noJobs: "Noch keine Aufträge",
  noJobsText: "Laden Sie eine Liste hoch, und erhalten Sie sie mit einer Bewertung für jede Adresse zurück.",

  stats: {
    credits: "Verfügbare Credits",
    viewLedger: "Buchungen ansehen",
    checked: "Geprüfte Adressen",
    inDays: (days) => `in den letzten ${days} Tagen`,
    safe: "Zustellbar",
    unknown: (share) => `${share} unbekannt`,
    points: (points, days) =>
      points === 0
        ? `unverändert gegenüber den ${days} Tagen davor`
        : `${sign(points)}${formatNumber(Math.abs(points))} Punkte gegenüber den ${days} Tagen davor`,
    change: (change, days) => `${change} gegenüber den ${days} Tagen davor`,
  },

  attention: {
    title: "Handlungsbedarf",
    noCredits: `Keine Credits mehr. ${common.askForCredits}`,
    fewCredits: (balance) => `Nur noch ${common.credits(balance)}.`,
    viewCredits: "Credits ansehen",
    pausedJob: (filename) => `${filename} ist angehalten.`,
    failedJob: (filename) => `${filename} ist fehlgeschlagen.`,
    viewJob: "Auftrag ansehen",
    failingWebhook: (name) => `Zustellungen an ${name} schlagen fehl.`,
    disabledWebhook: (name) => `${name} wurde nach fehlgeschlagenen Zustellungen deaktiviert.`,
    viewWebhook: "Endpunkt ansehen",
    expiringKey: (name, days) => `Der Schlüssel ${name} läuft in ${common.duration.days(days)} ab.`,
    viewKeys: "Schlüssel ansehen",
  },

  start: {
    title: "Erste Schritte",
    progress: (done, all) => `${formatNumber(done)} von ${formatNumber(all)} erledigt`,
    done: "erledigt",
    open: "offen",
    check: "Adresse prüfen",
    checkText: (link) => (
      <>{link} (simuliert), oder jede andere Adresse. Sie sehen jeden Schritt und die Antwort des Servers.</>
    ),
    checkLink: "Probieren Sie valid@mailvet.test",
    key: "API-Schlüssel erstellen",
    keyText: (link) => <>Ein neuer Schlüssel wird unter {link} einmal angezeigt. Kopieren Sie ihn gleich.</>,
    keyLink: "API-Schlüssel",
    call: "API aufrufen",
    callLabel: "curl-Befehl",
    callText: "Ersetzen Sie YOUR_KEY durch Ihren vollständigen Schlüssel.",
    callUnavailable: "Ihr Tarif enthält keinen API-Zugang. Bitten Sie Ihren Administrator darum.",
    upload: "Liste hochladen",
    uploadText: (link) => (
      <>{link}, wählen Sie die Spalte mit den Adressen, und sehen Sie die Kosten vor dem Start.</>
    ),
    uploadLink: "Legen Sie eine Datei ab",
  },
};
