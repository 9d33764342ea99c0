/** German texts of the bulk page: upload, preview, list of jobs. */
import type { Status } from "@mailvet/contract";
import { formatNumber, LEFT_TO_RIGHT } from "../../components/number-format.ts";
import { common } from "../../messages.de.ts";
import type { Translation } from "../../translation.ts";
import type * as english from "./messages.tsx";

const SAVE_AS_CSV =
  "Speichern Sie sie in Excel, Numbers oder Google Sheets als XLSX oder CSV, und wählen Sie diese Datei aus.";
const CHOOSE_AGAIN = "Wählen Sie die Datei erneut aus.";
const WAIT = "Warten Sie einen Moment, und versuchen Sie es erneut.";

export const messages: Translation<typeof english.messages> = {
  title: "Massenprüfung",
  intro: "Eine Liste prüfen: Datei auswählen, Vorschau ansehen, Auftrag starten.",
  previewGone: "Vorschau nicht mehr verfügbar",
  previewGoneText: "Sie wurde gestartet, verworfen oder ist abgelaufen. Wählen Sie die Datei erneut aus.",

  upload: {
    input: "Datei mit E-Mail-Adressen",
    title: "Liste ablegen oder auswählen",
    release: "Loslassen zum Hochladen",
    hint: "Excel (XLSX), ODS, CSV, TSV oder reiner Text, auch mit gzip komprimiert, mit oder ohne Kopfzeile. Sie sehen eine Vorschau, bevor etwas berechnet wird.",
    limits: (emails, megabytes) =>
      `Bis zu ${common.emails(emails)} und ${formatNumber(megabytes)} MB pro Datei; größere Listen laufen als eine Gruppe.`,
    choose: common.chooseFile,
    ways: "Wie Sie die Liste senden",
    files: "Dateien",
    paste: "Einfügen",
    link: "Link",
    tooManyFiles: (limit) => `Wählen Sie höchstens ${limit} Dateien aus.`,
    several: "Bis zu 10 Dateien auf einmal werden als eine Liste geprüft.",
    severalNames: (first, more) => `${first} und ${more} weitere`,
    pasteLabel: "E-Mail-Adressen",
    pasteHint:
      "Beliebige Trennzeichen, mit oder ohne Namen, oder Zellen aus einer Tabelle. Strg-V funktioniert überall auf dieser Seite.",
    pasteExample: "Anna Müller <anna@example.com>, bernd@example.com",
    pastedName: "eingefuegte-liste.csv",
    linkLabel: "Link zu einer Datei",
    linkHint: "Eine öffentliche https-Adresse einer CSV-, XLSX- oder ODS-Datei.",
    linkExample: "https://example.com/kunden.xlsx",
    preview: "Vorschau",
    downloading: (url) => `${url} wird heruntergeladen`,
    downloadingHint: "Die Zeilen werden während des Downloads gezählt.",
    tooLarge: (name, size, megabytes) =>
      `${name} hat ${size}; erlaubt sind ${formatNumber(megabytes)} MB. Komprimieren Sie die Datei mit gzip, oder teilen Sie sie auf.`,
    uploading: (name) => `${name} wird hochgeladen`,
    uploadingHint: (size) => `${size}. Die Zeilen werden während des Uploads gezählt.`,
    kilobytes: (count) => `${formatNumber(count)} kB`,
    megabytes: (count) => `${count} MB`,
    failed: "Upload fehlgeschlagen",
  },

  uploadDetail: ({ found, limit }) =>
    found === undefined || limit === undefined
      ? ""
      : `${formatNumber(found)} gefunden, erlaubt sind ${formatNumber(limit)}.`,
  uploadErrors: {
    empty_file: ["Die Datei ist leer", "Wählen Sie eine Datei mit einer Adresse pro Zeile aus."],
    not_a_table: [
      "Die Datei kann nicht als Tabelle gelesen werden",
      "Wählen Sie eine Datei mit einer Adresse pro Zeile und höchstens 65.536 Zeichen pro Zelle aus.",
    ],
    unsupported_file: ["Dateityp nicht unterstützt", SAVE_AS_CSV],
    unsupported_media_type: ["Dateityp nicht unterstützt", SAVE_AS_CSV],
    undecodable_file: [
      "Die Datei kann nicht gelesen werden",
      "Speichern Sie sie erneut als XLSX oder als CSV in UTF-8.",
    ],
    link_rejected: ["Dieser Link ist nicht erlaubt", "Verwenden Sie eine öffentliche https-Adresse."],
    link_failed: [
      "Die Datei konnte nicht heruntergeladen werden",
      "Prüfen Sie den Link, oder laden Sie die Datei hoch.",
    ],
    sheet_not_found: ["Dieses Tabellenblatt gibt es nicht", CHOOSE_AGAIN],
    compression_bomb: [
      "Die entpackte Datei ist zu groß",
      "Entpacken Sie sie, und laden Sie nur den Teil mit den Adressen hoch.",
    ],
    no_emails_found: [
      "Keine E-Mail-Adressen gefunden",
      "Prüfen Sie, ob es die richtige Datei ist: Eine Spalte muss die Adressen enthalten.",
    ],
    payload_too_large: [
      "Die Datei ist zu groß",
      "Komprimieren Sie sie mit gzip, oder teilen Sie sie in mehrere Dateien auf.",
    ],
    too_many_rows: ["Die Datei hat zu viele Zeilen", "Teilen Sie sie in mehrere Dateien auf."],
    too_many_emails: [
      "Die Datei enthält zu viele Adressen",
      "Teilen Sie sie auf, und starten Sie einen Auftrag pro Teil.",
    ],
    too_many_uploads: [
      "Zu viele nicht gestartete Uploads",
      "Starten Sie einen davon, oder warten Sie, bis sie ablaufen.",
    ],
    storage_full: [
      "Kein Speicherplatz mehr",
      "Löschen Sie Aufträge und gespeicherte Listen, die Sie nicht mehr brauchen.",
    ],
    rate_limited: ["Zu viele Anfragen", WAIT],
    overloaded: ["Der Dienst ist ausgelastet", WAIT],
    insufficient_credits: [
      "Nicht genügend Credits",
      "Wählen Sie eine kürzere Liste aus, oder besorgen Sie zuerst weitere Credits.",
    ],
    upload_not_found: ["Datei nicht mehr verfügbar", CHOOSE_AGAIN],
    upload_expired: ["Der Upload ist abgelaufen", CHOOSE_AGAIN],
    email_column_not_found: ["Diese Spalte gibt es nicht", "Wählen Sie eine andere Spalte aus."],
    too_many_active_jobs: [
      "Zu viele aktive Aufträge",
      "Warten Sie, bis einer abgeschlossen ist, oder brechen Sie unten einen ab.",
    ],
    job_state_conflict: ["Diese Datei wurde bereits gestartet", "Ihr Auftrag steht in der Liste unten."],
  },

  preview: {
    summary: (rows, columns, expiresAt) => (
      <>
        {common.rows(rows)}, {common.columns(columns)}. Noch wird nichts berechnet. Die Datei wird aufbewahrt
        bis {expiresAt}.
      </>
    ),
    chooseOther: "Andere Datei auswählen",
    sheet: "Tabellenblatt",
    sheetGone: "Wählen Sie für ein anderes Blatt die Datei erneut aus.",
    sheetWithoutEmails: (sheet) => `Keine Adressen in „${sheet}“`,
    otherSheet: "Wählen Sie ein anderes Tabellenblatt aus.",
    moreColumns: "Weitere Spalten mit Adressen",
    moreColumnsHint: (limit, others) =>
      others > limit
        ? `Werden im selben Auftrag geprüft. Höchstens ${limit}.`
        : "Werden im selben Auftrag geprüft.",
    column: "Spalte mit Adressen",
    suggested: "Automatisch erkannt.",
    columnOption: (name, emails) =>
      `${name}${LEFT_TO_RIGHT} · ${emails === 0 ? "keine Adressen" : common.emails(emails)}`,
    columnEmails: (emails) => (emails === 0 ? "Keine Adressen" : common.emails(emails)),
    columnChosen: "Spalte mit Adressen",
    table: "Erste Zeilen der Datei",
    caption: (shown, total, hiddenColumns, hasHeader) =>
      `Erste ${common.rows(shown)} von ${formatNumber(total)}${
        hiddenColumns > 0 ? `, ${common.columns(hiddenColumns)} ausgeblendet` : ""
      }. ${hasHeader ? "Die Kopfzeile ist nicht mitgezählt." : "Die Datei hat keine Kopfzeile."}`,
    start: "Prüfung starten",
    missingCredits: (missing) => `Es fehlen ${common.credits(missing)}.`,
    viewCredits: "Credits ansehen",
  },

  cost: {
    validFormat: "Gültiges Format",
    ofRows: (rows) => `von ${rows === 1 ? "1 Zeile" : `${formatNumber(rows)} Zeilen`}`,
    inColumns: (columns) => `in ${common.columns(columns)}`,
    unique: "Verschiedene Adressen",
    uniqueHint: "Jede wird einmal geprüft",
    uniqueLater: "Wird beim Start gezählt",
    duplicates: "Doppelte und leere",
    duplicatesHint: "Kostenlos",
    cost: "Kosten",
    balance: (balance) => `${common.credits(balance)} verfügbar`,
    left: (left) => `danach noch ${common.credits(left)}`,
  },

  estimate: {
    start: "Kostenlos schätzen",
    hint: "Prüft bis zu 200 zufällige Zeilen anhand von Syntax, Listen und DNS. Dauert einige Sekunden.",
    names: {
      undecided: "Braucht einen Mailserver",
      valid: "Gültig",
      risky: "Riskant",
      invalid: "Ungültig",
    },
    hints: {
      undecided: "Entscheidet der Auftrag",
      valid: "Aus letzten Prüfungen",
      risky: "Etwa Wegwerfadressen",
      invalid: "Unzustellbar",
    },
    basis: (sampled, isScaled) =>
      isScaled
        ? `Für die ganze Liste geschätzt anhand von ${formatNumber(sampled)} zufälligen Adressen.`
        : `Von ${formatNumber(sampled)} zufälligen Adressen.`,
  },

  jobs: {
    title: "Aufträge",
    filter: "Aufträge nach Status filtern",
    allStatuses: "Alle Status",
    failed: "Die Aufträge konnten nicht geladen werden",
    noneWithStatus: "Keine Aufträge mit diesem Status",
    showAll: "Alle Aufträge anzeigen",
    none: "Noch keine Aufträge",
    noneText: "Jede Liste, die Sie prüfen, steht hier mit ihren Ergebnissen, bis diese ablaufen.",
    progress: "Adressen mit Bewertung",
    waitingForServers: "wartet auf Server",
    columns: {
      file: "Datei",
      status: "Status",
      verdicts: "Bewertungen",
      emails: "Adressen",
      safe: "Zustellbar",
      created: "Erstellt",
    },
    ofEmails: (done, total) => `${formatNumber(done)} von ${formatNumber(total)}`,
    count: (count, status: Status) => `${formatNumber(count)} ${common.status[status].toLowerCase()}`,
  },

  jobStatus: {
    queued: "Wartet",
    processing: "Läuft",
    paused: "Angehalten",
    completed: "Abgeschlossen",
    failed: "Fehlgeschlagen",
    cancelled: "Abgebrochen",
  },
  phases: {
    retrying: "Wiederholt",
    waiting_for_provider: "Wartet auf Anbieter",
    finishing: "Wird abgeschlossen",
  },
};
