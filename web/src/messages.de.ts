/** German texts of the shell and of everything that several pages show. */
import type { JobStatus } from "@mailvet/contract";
import type { ProblemCode } from "@mailvet/sdk";
import { formatNumber, plural } from "./components/number-format.ts";
import type * as english from "./messages.ts";
import type { Translation } from "./translation.ts";

const credits = (count: number) => plural(count, "Credit");
const emails = (count: number) => plural(count, "Adresse", "Adressen");
const days = (count: number) => plural(count, "Tag", "Tage");

export const JOB_STATUSES: Record<JobStatus, string> = {
  queued: "in der Warteschlange",
  processing: "in Arbeit",
  paused: "angehalten",
  completed: "abgeschlossen",
  failed: "fehlgeschlagen",
  cancelled: "abgebrochen",
};

/** For people. The service's own text is in English and has more details. */
const PROBLEMS: Partial<Record<ProblemCode, string>> = {
  malformed_request: "Die Anfrage ist fehlerhaft.",
  missing_api_key: "Bitte melden Sie sich an.",
  invalid_api_key: "Der API-Schlüssel ist ungültig.",
  not_signed_in: "Bitte melden Sie sich an.",
  wrong_credentials: "E-Mail-Adresse oder Passwort ist falsch.",
  two_factor_required: "Bitte geben Sie den Code Ihrer Authenticator-App ein.",
  passkey_rejected: "Der Passkey wurde nicht akzeptiert.",
  insufficient_credits: "Ihr Guthaben reicht nicht aus.",
  api_access_not_included: "Ihr Tarif enthält keinen API-Zugang.",
  insufficient_scope: "Dafür fehlt die Berechtigung.",
  operator_only: "Das ist dem Betreiber vorbehalten.",
  ip_not_allowed: "Von dieser Adresse aus ist das nicht erlaubt.",
  session_required: "Das ist nur in der Web-App möglich.",
  origin_rejected: "Die Anfrage kam von einer anderen Website und wurde abgelehnt.",
  sign_up_closed: "Die Registrierung ist geschlossen.",
  not_found: "Nicht gefunden.",
  job_not_found: "Diesen Auftrag gibt es nicht.",
  upload_not_found: "Diese Datei ist nicht mehr verfügbar.",
  key_not_found: "Diesen API-Schlüssel gibt es nicht.",
  session_not_found: "Diese Sitzung gibt es nicht.",
  passkey_not_found: "Diesen Passkey gibt es nicht.",
  account_not_found: "Dieses Konto gibt es nicht.",
  list_not_found: "Diese Liste gibt es nicht.",
  webhook_not_found: "Diesen Webhook-Endpunkt gibt es nicht.",
  delivery_not_found: "Diese Zustellung gibt es nicht.",
  dead_letter_not_found: "Diese fehlgeschlagene Aufgabe gibt es nicht.",
  job_state_conflict: "Im aktuellen Status des Auftrags ist das nicht möglich.",
  results_not_ready: "Die Ergebnisse sind noch nicht fertig.",
  email_taken: "Diese E-Mail-Adresse wird bereits verwendet.",
  two_factor_enabled: "Die Zwei-Faktor-Anmeldung ist bereits aktiviert.",
  operator_protected: "Das Konto eines Betreibers ist geschützt.",
  account_active: "Das Konto ist bereits aktiv.",
  last_second_factor: "Das ist der letzte zweite Faktor. Er wird benötigt.",
  passkeys_unavailable: "Unter dieser Adresse sind Passkeys nicht möglich.",
  storage_full: "Die Listen Ihres Kontos belegen so viel Speicher, wie Ihr Tarif erlaubt.",
  too_many_passkeys: "Sie haben zu viele Passkeys.",
  too_many_keys: "Sie haben zu viele API-Schlüssel.",
  too_many_webhooks: "Sie haben zu viele Webhook-Endpunkte.",
  webhook_disabled: "Der Webhook-Endpunkt ist deaktiviert.",
  dead_letter_obsolete: "Diese Aufgabe ist inzwischen hinfällig.",
  idempotency_in_flight: "Diese Anfrage wird bereits bearbeitet.",
  link_expired: "Der Link ist abgelaufen oder wurde bereits verwendet.",
  upload_expired: "Der Upload ist abgelaufen.",
  results_expired: "Die Ergebnisse sind abgelaufen.",
  payload_too_large: "Die Datei ist zu groß.",
  too_many_emails: "Die Datei enthält zu viele Adressen.",
  too_many_rows: "Die Datei hat zu viele Zeilen.",
  compression_bomb: "Die entpackte Datei ist zu groß.",
  unsupported_media_type: "Dieser Dateityp wird nicht unterstützt.",
  unsupported_file: "Dieser Dateityp wird nicht unterstützt.",
  validation_failed: "Bitte prüfen Sie Ihre Eingaben.",
  email_column_not_found: "Diese Spalte gibt es nicht.",
  empty_file: "Die Datei ist leer.",
  not_a_table: "Die Datei kann nicht als Tabelle gelesen werden.",
  no_emails_found: "Es wurden keine E-Mail-Adressen gefunden.",
  sheet_not_found: "Dieses Tabellenblatt gibt es nicht.",
  link_rejected: "Dieser Link ist nicht erlaubt.",
  link_failed: "Die Datei konnte nicht heruntergeladen werden.",
  undecodable_file: "Die Datei kann nicht gelesen werden.",
  webhook_url_rejected: "Diese URL ist nicht erlaubt.",
  rate_limited: "Zu viele Anfragen. Bitte warten Sie einen Moment.",
  too_many_active_jobs: "Es sind zu viele Aufträge aktiv.",
  too_many_uploads: "Es gibt zu viele Uploads, die noch nicht gestartet wurden.",
  internal_error: "Interner Fehler.",
  overloaded: "Der Dienst ist gerade ausgelastet. Bitte versuchen Sie es gleich noch einmal.",
};

/** Sentences of the API that have no code, by pattern. `part` is what the pattern captures. */
export type Sentences = readonly (readonly [pattern: RegExp, text: (part: string) => string])[];

/** The German text of the first pattern that matches. */
export function translated(sentences: Sentences, sentence: string): string | undefined {
  for (const [pattern, text] of sentences) {
    const match = pattern.exec(sentence);
    if (match) return text(match[1] ?? "");
  }
  return undefined;
}

/** Why an installation sends nothing to a URL. */
export const URL_REJECTIONS: Sentences = [
  [
    /^Test mode makes no connections/,
    () =>
      "Im Testmodus werden keine Verbindungen aufgebaut, außer zu Webhook-Endpunkten, die im Testmodus hinzugefügt wurden.",
  ],
  [/^Not a valid URL\.$/, () => "Die URL ist ungültig."],
  [/^Port (\d+) is not allowed/, (port) => `Port ${port} ist nicht erlaubt.`],
  [/^The URL must begin with https:/, () => "Die URL muss mit https:// beginnen."],
  [
    /^The URL must not contain a user name/,
    () => "Die URL darf weder einen Benutzernamen noch ein Passwort enthalten.",
  ],
  [/^The URL must not contain a fragment/, () => "Die URL darf kein Fragment (#) enthalten."],
  [/^(\S+) could not be resolved\.$/, (host) => `${host} konnte nicht aufgelöst werden.`],
  [/^(\S+) has no public IP address\.$/, (host) => `${host} hat keine öffentliche IP-Adresse.`],
  [
    /^Connections to the address (\S+) are not allowed/,
    (address) => `Verbindungen zur Adresse ${address} sind nicht erlaubt.`,
  ],
];

const REQUIRED = "Dieses Feld ist erforderlich.";
const WHOLE_NUMBER = "Geben Sie eine ganze Zahl ein.";
const number = (digits: string) => formatNumber(Number(digits));

const FIELD_ERRORS: Sentences = [
  [/^is required$|must not be blank\.?$|^must have at least 1 (?:character|item)$/, () => REQUIRED],
  [/^must have at least (\d+) characters$/, (count) => `Mindestens ${number(count)} Zeichen.`],
  [/^must have at most (\d+) characters?$/, (count) => `Höchstens ${number(count)} Zeichen.`],
  [/^must have at most (\d+) items?$/, (count) => `Höchstens ${number(count)} Einträge.`],
  [/^must be at least (-?\d+)$/, (limit) => `Der Wert muss mindestens ${number(limit)} sein.`],
  [/^must be at most (-?\d+)$/, (limit) => `Der Wert darf höchstens ${number(limit)} sein.`],
  [/^must be an integer/, () => WHOLE_NUMBER],
  [/^must be a URL/, () => "Geben Sie eine vollständige URL ein."],
  [/^must be in the future$/, () => "Der Zeitpunkt muss in der Zukunft liegen."],
  [/^must be (?:one line of text|a single line)$/, () => "Zeilenumbrüche sind nicht erlaubt."],
  [/^Amount must not be zero\.$/, () => "Die Anzahl darf nicht 0 sein."],
  [/^The password repeats one character\./, () => "Das Passwort wiederholt ein einziges Zeichen."],
  [/^The password is your email,/, () => "Das Passwort ist Ihre E-Mail-Adresse oder ein Teil davon."],
  [/^The password is the name of this service\./, () => "Das Passwort ist der Name dieses Dienstes."],
  [/^Sign-up is not open to/, () => "Die Registrierung ist für Adressen dieser Domain nicht möglich."],
  [/^Addresses of disposable/, () => "Wegwerfadressen werden nicht angenommen. Verwenden Sie eine andere."],
  [/^This is one of the most common passwords\./, () => "Das ist eines der häufigsten Passwörter."],
  [/^Enter your password, or use a passkey\.$/, () => "Geben Sie Ihr Passwort ein."],
  [
    /^The code is incorrect or was used already\.$/,
    () => "Der Code ist falsch oder wurde bereits verwendet.",
  ],
  [/^Two-factor sign-in is not enabled\.$/, () => "Die Zwei-Faktor-Anmeldung ist nicht aktiviert."],
  [/^This passkey is registered already\.$/, () => "Dieser Passkey ist bereits registriert."],
  [/^This request has expired/, () => "Die Anfrage ist abgelaufen. Versuchen Sie es noch einmal."],
  [/^The passkey could not be verified\./, () => "Der Passkey konnte nicht bestätigt werden."],
  [/^This is not the email of the account\.$/, () => "Das ist nicht die E-Mail-Adresse des Kontos."],
  [
    /^This installation sends no email/,
    () => "Diese Installation sendet keine E-Mails, daher kann die Adresse nicht bestätigt werden.",
  ],
  [
    /^The @ between mailbox name and domain is missing\.$/,
    () => "Das @ zwischen Postfachname und Domain fehlt.",
  ],
  [/^The (?:mailbox name|domain|whole address|email) /, () => "Diese E-Mail-Adresse ist ungültig."],
  ...URL_REJECTIONS,
];

export const common: Translation<typeof english.common> = {
  app: "Mailvet",
  documentTitle: (page) => `${page} · Mailvet`,
  tagline: "Prüfen, ob ein Postfach existiert, ohne eine E-Mail zu senden.",

  credits,
  emails,
  addresses: emails,
  columns: (count) => plural(count, "Spalte", "Spalten"),
  days,
  mailboxes: (count) => plural(count, "Postfach", "Postfächer"),
  rows: (count) => plural(count, "Zeile", "Zeilen"),
  emailsOf: (done, total) => `${formatNumber(done)} von ${emails(total)}`,
  reservedForJobs: (count) => `${formatNumber(count)} für Aufträge reserviert`,
  timeLeft: (duration) => `fertig in etwa ${duration}`,
  none: "–",
  justNow: "gerade eben",
  yes: "Ja",
  no: "Nein",

  status: { valid: "Gültig", risky: "Riskant", unknown: "Unbekannt", invalid: "Ungültig" },
  recommendations: {
    send: "Senden",
    caution: "Mit Vorsicht senden",
    do_not_send: "Nicht senden",
    retry: "Später erneut prüfen",
  },
  price: { live: "1 Credit", test: "simuliert" },
  mailboxUnchecked: "Postfach nicht geprüft",
  verdict: "Bewertung",
  verdicts: "Bewertungen",
  reason: "Grund",
  score: "Score",
  email: "E-Mail",
  didYouMean: "Meinten Sie",
  chooseFile: "Datei auswählen",

  actionsOf: (name) => `Aktionen für ${name}`,
  cancel: "Abbrechen",
  close: "Schließen",
  copy: "Kopieren",
  copied: "Kopiert",
  copyOf: (what) => `${what} kopieren`,
  delete: "Löschen",
  done: "Fertig",
  retry: "Erneut versuchen",
  save: "Speichern",
  saved: "Gespeichert.",
  loading: "Wird geladen",
  twoFactorCode: "Code",
  passkey: {
    cancelled: "Die Passkey-Anfrage wurde abgebrochen oder ist abgelaufen.",
    exists: "Dieses Gerät hat bereits einen Passkey für das Konto.",
  },
  required: REQUIRED,
  wholeNumber: WHOLE_NUMBER,
  optional: "Optional.",
  askForCredits: "Bitten Sie Ihren Administrator um weitere Credits.",

  error: {
    title: "Etwas ist schiefgelaufen",
    page: "Diese Seite konnte nicht angezeigt werden",
    unreachable: "Der Dienst ist zurzeit nicht erreichbar.",
    exportFailed: "Der Export ist fehlgeschlagen. Versuchen Sie es noch einmal.",
    requestId: (id) => `Anfrage ${id}`,
    problem: (code, detail) => PROBLEMS[code as ProblemCode] ?? detail,
    field: (message) => translated(FIELD_ERRORS, message) ?? "Dieser Wert ist nicht zulässig.",
  },
  notFound: {
    title: "Seite nicht gefunden",
    hint: "Der Link ist vielleicht veraltet oder enthält einen Tippfehler.",
    home: "Zur Übersicht",
    validate: "Adresse prüfen",
    reference: "API-Referenz",
    code: "404",
  },
  pager: {
    range: (first, last, total) => `${formatNumber(first)}–${formatNumber(last)} von ${formatNumber(total)}`,
    page: (number) => `Seite ${number}`,
    first: "Erste Seite",
    previous: "Vorherige Seite",
    next: "Nächste Seite",
    last: "Letzte Seite",
  },
  duration: {
    underSecond: "unter 1\u00a0s",
    seconds: (count) => `${formatNumber(count)}\u00a0s`,
    minutes: (count) => `${formatNumber(count)}\u00a0min`,
    hours: (count) => `${formatNumber(count)}\u00a0h`,
    days: (count) => plural(count, "Tag", "Tagen"),
  },
  providers: {
    "": "Keiner bekannt",
    other: "Andere",
    qq: "QQ",
    gmx: "GMX",
    icloud: "iCloud",
    mail_ru: "Mail.ru",
  },

  plans: {
    free: "Free",
    payg: "Pay as you go",
    starter: "Starter",
    growth: "Growth",
    enterprise: "Enterprise",
  },
  planLimits: (limits) => [
    limits.api_access
      ? "Web-App und API"
      : "Web-App und Testschlüssel. Live-Schlüssel funktionieren in kostenpflichtigen Tarifen.",
    `${plural(limits.requests_per_minute, "Anfrage", "Anfragen")} pro Minute`,
    `${plural(limits.concurrent_requests, "gleichzeitige Anfrage", "gleichzeitige Anfragen")}`,
    `Bis zu ${emails(limits.emails_per_file)} pro Datei`,
    `${plural(limits.active_jobs, "aktiver Auftrag", "aktive Aufträge")}`,
    `${formatNumber(limits.stored_bytes / 1e9)} GB für Listen, komprimiert`,
  ],
  operator: "Betreiber",
  language: { title: "Sprache", names: { en: "English", de: "Deutsch" } },
};

export const shellMessages: Translation<typeof english.shellMessages> = {
  skipToContent: "Zum Inhalt springen",
  openMenu: "Menü öffnen",
  closeMenu: "Menü schließen",
  pages: "Seiten",
  home: "Mailvet, Übersicht",
  accountMenu: (email) => `Konto ${email}`,
  theme: "Design",
  themes: { light: "Hell", dark: "Dunkel", auto: "Automatisch" },
  signOut: "Abmelden",
  connection: { lost: "Verbindung unterbrochen. Die Anzeige ist möglicherweise nicht aktuell." },
  notifications: {
    jobEnded: (filename, status: JobStatus) => `${filename}: ${JOB_STATUSES[status]}`,
    valid: (valid, total) => `${formatNumber(valid)} von ${emails(total)} gültig.`,
    notRun: (list) => `${list} wurde nicht geprüft`,
    changed: (list) => `${list} hat sich geändert`,
    changes: (newlyInvalid, recovered) =>
      `${formatNumber(newlyInvalid)} neu ungültig, ${formatNumber(recovered)} wieder gültig`,
  },
  palette: {
    open: "Suchen",
    title: "Seiten, Aufträge und Schlüssel suchen",
    placeholder: "Seite öffnen, Auftrag oder Schlüssel suchen, Adresse eingeben",
    shortcut: (command) => `${command} K`,
    none: "Nichts gefunden",
    check: "Prüfen",
    checkEmail: (email) => `${email} prüfen`,
    pages: "Seiten",
    jobs: "Aufträge",
    keys: "API-Schlüssel",
    accounts: "Konten",
  },
  shortcuts: {
    title: "Tastenkürzel",
    commandKey: "⌘",
    controlKey: "Strg",
    list: (command) => [
      [[command, "K"], "Suchen und Seite öffnen"],
      [["?"], "Diese Liste anzeigen"],
      [["Esc"], "Dialog schließen"],
      [[command, "V"], "Liste einfügen, auf der Seite Massenprüfung"],
    ],
  },
  testMode: {
    name: "Testmodus",
    explanation: "Bewertungen sind simuliert, kein Mailserver wird kontaktiert, nichts wird berechnet.",
    figures: "Simulierte Zahlen: Der Testmodus verbraucht keine Credits und zählt keine Bewertungen.",
    enter: "In den Testmodus wechseln",
    leave: "Testmodus verlassen",
  },
  nav: {
    overview: "Übersicht",
    validate: "Prüfen",
    bulk: "Massenprüfung",
    lists: "Gespeicherte Listen",
    keys: "API-Schlüssel",
    webhooks: "Webhooks",
    usage: "Nutzung und Credits",
    audit: "Audit-Log",
    settings: "Einstellungen",
    guide: "Handbuch",
    reference: "API-Referenz",
    accounts: "Konten",
    jobs: "Aufträge",
    operatorKeys: "Betreiberschlüssel",
    operatorAudit: "Alle Audit-Logs",
    system: "System",
  },
};
