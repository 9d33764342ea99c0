/** German texts of the pages of saved lists, and of the dialog that saves one. */
import { formatNumber, plural } from "../../components/number-format.ts";
import { common } from "../../messages.de.ts";
import type { Translation } from "../../translation.ts";
import type * as english from "./messages.tsx";

const PERIODS: Readonly<Record<number, string>> = { 1: "pro Tag", 7: "pro Woche", 30: "pro Monat" };

const timeOf = (days: number) =>
  days % 7 === 0 || days > 60
    ? plural(Math.floor(days / 7), "Woche", "Wochen")
    : days % 30 === 0
      ? plural(days / 30, "Monat", "Monate")
      : plural(days, "Tag", "Tage");

export const messages: Translation<typeof english.messages> = {
  title: "Gespeicherte Listen",
  intro: "Listen, die aufbewahrt und nach einem Zeitplan erneut geprüft werden.",
  list: "Listen",
  none: "Noch keine Listen",
  noneText:
    "Speichern Sie einen abgeschlossenen Auftrag als Liste. Sie wird aufbewahrt, und Sie sehen, welche Adressen seit dem letzten Lauf ungültig geworden sind.",
  toJobs: "Zu den Aufträgen",
  allLists: "← Alle Listen",
  notFound: {
    title: "Liste nicht gefunden",
    reason: "Vielleicht wurde sie gelöscht",
    hint: "Oder sie gehört zu einem anderen Konto, oder der Link enthält einen Tippfehler.",
    back: "Zu den gespeicherten Listen",
  },
  tags: "Tags",
  columns: {
    name: "Name",
    tags: "Tags",
    schedule: "Zeitplan",
    lastRun: "Letzter Lauf",
    nextRun: "Nächster Lauf",
  },

  schedules: {
    daily: "Jeden Tag geprüft",
    weekly: "Jede Woche geprüft",
    monthly: "Jeden Monat geprüft",
  },
  noSchedule: "Kein Zeitplan",
  savedAt: (at) => <>gespeichert {at}</>,
  changes: (newlyInvalid, recovered) =>
    newlyInvalid + recovered === 0
      ? "Nichts hat sich geändert"
      : `${formatNumber(newlyInvalid)} neu ungültig, ${formatNumber(recovered)} wieder gültig`,

  page: {
    failed: "Die Liste konnte nicht geladen werden",
    notRun: "Der letzte Lauf ist nicht gestartet",
    openJob: "Ergebnisse anzeigen",
    running: (done, total) => `Wird geprüft: ${common.emailsOf(done, total)}.`,
    figures: {
      emails: "Adressen",
      valid: (share) => `${share} gültig`,
      newlyInvalid: "Neu ungültig",
      recovered: "Wieder gültig",
      inLastRun: "im letzten Lauf",
      nextRun: "Nächster Lauf",
      lastRun: (at) => <>letzter Lauf {at}</>,
      notYet: "noch nicht gelaufen",
    },
    changed: {
      title: "Was sich geändert hat",
      intro: "Adressen, die im letzten Lauf gültig oder ungültig geworden sind.",
      none: "Seit dem Lauf davor hat sich nichts geändert.",
      notChecked: "Wird angezeigt, sobald die Liste erneut geprüft wurde.",
      now: "Jetzt",
      before: "Vorher",
      first: (count) => `Die ersten ${formatNumber(count)}; der Download der Ergebnisse enthält alle.`,
    },
    settings: "Einstellungen",
    delete: {
      title: "Liste löschen",
      intro:
        "Beendet den Zeitplan. Der Auftrag und seine Ergebnisse werden dann nach der üblichen Aufbewahrungsfrist gelöscht.",
      confirmTitle: "Diese Liste löschen?",
      text: (name) => `„${name}“ wird nicht mehr geprüft.`,
      keep: "Liste behalten",
    },
  },

  form: {
    name: "Name",
    tags: "Tags",
    tagsHint: "Durch Kommas getrennt.",
    tooManyTags: "Bis zu 20 Tags mit je bis zu 50 Zeichen.",
    schedule: "Zeitplan",
    never: "Nie",
    choices: { daily: "Jeden Tag", weekly: "Jede Woche", monthly: "Jeden Monat" },
    daysOutOfRange: (limit) => `Geben Sie 1 bis ${limit} Tage ein.`,
    staleAfter: "Ergebnisse erneut prüfen, die älter sind als (Tage)",
    staleHint: "Unbekannte Ergebnisse werden immer erneut geprüft. Jede Prüfung kostet einen Credit.",
    cost: ({ emails, everyDays, balance, daysLeft }) =>
      `Etwa ${common.credits(emails)} ${PERIODS[everyDays] ?? `alle ${everyDays} Tage`}, ${formatNumber(balance)} übrig: ${daysLeft === 0 ? "zu wenig für einen Lauf" : timeOf(daysLeft)}.`,
  },
  save: {
    button: "Als Liste speichern",
    title: "Als Liste speichern",
    open: "Liste öffnen",
    intro: "Zeilen und Ergebnisse werden aufbewahrt, bis Sie die Liste löschen.",
  },
};
