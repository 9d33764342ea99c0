/** German texts of the operator pages: accounts and system. */
import { formatList, formatNumber, plural } from "../../components/number-format.ts";
import { common } from "../../messages.de.ts";
import type { Translation } from "../../translation.ts";
import type * as english from "./messages.tsx";

const failures = (count: number) => plural(count, "Fehlschlag", "Fehlschläge");

/** Checks of the diagnostics. Blocklists have the name of their zone, SPF and DMARC are the same in German. */
const CHECKS: Readonly<Record<string, string>> = {
  blocklists: "Sperrlisten",
  "EHLO name": "EHLO-Name",
  identity: "Identität",
  "name servers": "Nameserver",
  "our address": "Öffentliche IP-Adresse",
  "port 25": "Port 25",
  "PostgreSQL release": "PostgreSQL-Version",
  "reference lists": "Referenzlisten",
  "reverse DNS": "Reverse DNS",
  "sender domain": "Absenderdomain",
  welcome: "Annahme durch große Anbieter",
};

export const messages: Translation<typeof english.messages> = {
  noAccess: "Kein Zugriff",
  noAccessText: "Sie haben keinen Zugriff auf diese Seite.",

  accounts: {
    title: "Konten",
    intro: "Alle Konten dieser Installation.",
    total: (count) => plural(count, "Konto", "Konten"),
    search: "Suchen",
    searchHint: "Teil der E-Mail-Adresse",
    none: "Kein passendes Konto",
    noneText: (search) => `Keine E-Mail-Adresse enthält „${search}“.`,
    state: "Status",
    allStates: "Alle Status",
    email: "E-Mail",
    plan: "Tarif",
    credits: "Credits",
    reserved: (count) => `+ ${formatNumber(count)} reserviert`,
    used: "30 Tage",
    lastSeen: "Zuletzt aktiv",
    created: "Erstellt",
  },

  states: {
    active: "Aktiv",
    invited: "Eingeladen",
    unconfirmed: "Unbestätigt",
    suspended: "Gesperrt",
    erasing: "Wird gelöscht",
  },

  pager: { first: "Erste Seite", next: "Nächste Seite" },

  open: {
    button: "Konto erstellen",
    title: "Konto erstellen",
    submit: "Konto erstellen",
    taken: "Für diese E-Mail-Adresse gibt es bereits ein Konto.",
    defaultPlan: "Üblicher Tarif neuer Konten",
    creditsHint: "Leer lassen, um die üblichen Credits neuer Konten zu vergeben.",
    linkTitle: "Einladungslink",
    linkLabel: "Link",
    linkText: (email) =>
      `Geben Sie diesen Link an ${email} weiter. Er öffnet eine Seite, auf der ein Passwort festgelegt wird, funktioniert einmal und läuft in 7 Tagen ab. Er wird nicht noch einmal angezeigt.`,
  },

  account: {
    title: "Konto",
    back: "← Alle Konten",
    notFound: {
      title: "Konto nicht gefunden",
      reason: "Vielleicht wurde es geschlossen oder gelöscht",
      hint: "Oder der Link enthält einen Tippfehler.",
      back: "Zu den Konten",
    },
    created: (at) => <>erstellt {at}</>,
    suspendedTitle: "Gesperrt",
    suspended: (at, reason) => (
      <>
        Seit {at}: {reason}
      </>
    ),
    used: "Verbrauchte Credits",
    usedHint: "Letzte 30 Tage",
    lastSeenHint: "Sitzung oder API-Schlüssel",
    actions: "Aktionen",
    planTitle: "Tarif",
    creditsTitle: "Credits",
    jobs: "Letzte Aufträge",
    allJobs: "Alle Aufträge dieses Kontos",
    noJobs: "Keine Aufträge",
    keys: "API-Schlüssel",
    noKeys: "Keine API-Schlüssel",
    keyName: "Name",
    keyPrefix: "Schlüssel",
    prefix: (prefix) => `${prefix}…`,
    keyLastUsed: "Zuletzt verwendet",
    keyState: "Status",
    revoked: "Widerrufen",
    active: "Aktiv",
    ledger: "Letzte Buchungen",
    noLedger: "Keine Buchungen",
    reference: "Buchung",
    at: "Zeit",
    change: "Änderung",
    balanceAfter: "Guthaben",
    kinds: {
      grant: "Vergeben",
      reserve: "Reserviert",
      settle: "Verbraucht",
      release: "Zurückgegeben",
      adjust: "Abgezogen",
      refund: "Erstattet",
    },
  },

  actions: {
    invite: "Neue Einladung senden",
    invited: "Die Einladung wurde gesendet.",
    suspend: "Sperren",
    suspendTitle: (email) => `${email} sperren?`,
    suspendText:
      "API-Schlüssel, Sitzungen und Anmeldung werden innerhalb einer Sekunde abgelehnt, laufende Aufträge angehalten und Webhooks zurückgehalten. Nichts wird gelöscht.",
    suspendReason: "Wird dem Inhaber angezeigt.",
    resume: "Freigeben",
    email: "E-Mail-Adresse ändern",
    emailTitle: "E-Mail-Adresse ändern",
    emailText: (email) =>
      `Die E-Mail-Adresse ist derzeit ${email}. Der Inhaber wird an beiden Adressen informiert.`,
    newEmail: "Neue E-Mail-Adresse",
    emailConfirm: "Erst wenn ein Link geöffnet wurde, der an die neue Adresse gesendet wird",
    sessions: "Sitzungen beenden",
    sessionsTitle: "Alle Sitzungen beenden?",
    sessionsText: (email) =>
      `${email} muss sich in jedem Browser neu anmelden. API-Schlüssel bleiben gültig.`,
    export: "Exportieren",
    erase: "Löschen",
    eraseTitle: (email) => `${email} löschen?`,
    eraseText:
      "Löscht das Konto mit allen Aufträgen, Dateien, Ergebnissen, Schlüsseln, Webhooks, Credits und seiner Nutzung. Das lässt sich nicht rückgängig machen. Exportieren Sie es zuerst, wenn seine Daten noch gebraucht werden.",
    eraseEmail: "Geben Sie zur Bestätigung die E-Mail-Adresse des Kontos ein",
    eraseReason: "Für Ihre Unterlagen.",
    eraseSubmit: "Konto löschen",
  },

  jobs: {
    title: "Aufträge",
    intro: "Aufträge aller Konten, die neuesten zuerst.",
    status: "Status",
    allStatuses: "Alle Status",
    file: "Datei",
    account: "Konto",
    started: "Erstellt",
    progress: "Fortschritt",
    sandbox: "Testmodus",
    none: "Keine Aufträge",
    ofAccount: (email) => (email ? `Nur Aufträge von ${email}.` : "Nur Aufträge eines Kontos."),
    allAccounts: "Alle Konten anzeigen",
    pause: "Anhalten",
    resume: "Fortsetzen",
    cancel: "Auftrag abbrechen",
    keep: "Auftrag behalten",
    actionOn: (action, filename) => `${action}: ${filename}`,
    cancelTitle: "Diesen Auftrag abbrechen?",
    cancelText: (filename, email) =>
      `${filename} von ${email} endet mit den bisherigen Bewertungen. Diese werden berechnet, die übrigen Credits zurückgegeben.`,
  },

  manage: {
    plan: "Tarif",
    planHint: "Gilt ab der nächsten Anfrage, auch für die API-Schlüssel des Kontos.",
    changePlan: "Tarif ändern",
    limits: (plan) => `Limits von ${plan}`,
  },

  grant: {
    direction: "Credits vergeben oder abziehen",
    grant: "Vergeben",
    deduct: "Abziehen",
    credits: "Credits",
    amountMissing: "Geben Sie eine Anzahl Credits ein.",
    tooMany: (available) => `Nur ${common.credits(available)} verfügbar.`,
    note: "Notiz",
    noteHint: "Steht in den Buchungen des Kontos. Optional.",
    submitGrant: "Credits vergeben",
    submitDeduct: "Credits abziehen",
    done: (balance) => `Erledigt. Das Guthaben beträgt ${common.credits(balance)}.`,
  },

  system: {
    title: "System",
    intro: "Prozesse, Warteschlange und Versandreputation. Wird alle 5 Sekunden aktualisiert.",
    jobs: "Aktive Aufträge",
    jobsHint: (queued, paused) => `${formatNumber(queued)} wartend, ${formatNumber(paused)} angehalten`,
    rate: "Zeilen pro Sekunde",
    rateHint: "Bewertungen aller Aufträge",
    processes: "Prozesse",
    version: (version) => `Version ${version}`,
    database: "Datenbank",
    embedded: "Eingebettet",
    external: "DATABASE_URL",
  },

  processes: {
    title: "Prozesse",
    roles: { all: "API und Worker", api: "API", worker: "Worker" },
    role: "Rolle",
    host: "Host",
    hostAndPid: (host, pid) => `${host}, Prozess ${pid}`,
    started: "Gestartet",
    heartbeat: "Letztes Lebenszeichen",
    ago: (duration) => `vor ${duration}`,
    overdue: "Überfällig",
  },

  queue: {
    title: "Warteschlange",
    intro:
      "Fällige Aufgaben können jetzt starten. Andere wartende Aufgaben sind für später geplant oder angehalten.",
    names: { jobs: "Aufträge", rechecks: "Wiederholungen", webhooks: "Webhooks" },
    queue: "Warteschlange",
    waiting: "Wartend",
    due: "Fällig",
    in_hand: "Laufend",
    longestWait: "Längste Wartezeit",
  },

  deadLetters: {
    title: "Fehlgeschlagene Aufgaben",
    intro:
      "Aufgaben, die mehrfach fehlgeschlagen sind und nicht wiederholt werden. Adressen eines fehlgeschlagenen Abschnitts gelten als interner Fehler und werden nicht berechnet.",
    none: "Keine fehlgeschlagenen Aufgaben in den letzten 30 Tagen",
    task: "Aufgabe",
    error: "Fehler",
    failedAt: "Fehlgeschlagen",
    kinds: {
      plan: "Planung einer Liste",
      slice: "Abschnitt einer Liste",
      action: "Auftrag abschließen",
      recheck: "Wiederholung",
      delivery: "Webhook-Zustellung",
    },
    attempts: (failed, losses) =>
      losses > 0 ? `${failures(failed)}, ${plural(losses, "Prozessende", "Prozessenden")}` : failures(failed),
    more: (count) => `${formatNumber(count)} weitere werden nicht angezeigt.`,
    redrive: "Neu starten",
  },

  egress: {
    title: "Ausgehende Verbindungen",
    intro:
      "Bewertungen hängen davon ab, wie Mailserver diese Installation sehen: Port 25, IP-Adresse und PTR-Name, Sperrlisten.",
    run: "Diagnose ausführen",
    running: "Läuft. Das dauert bis zu 30 Sekunden.",
    checkedAt: (at) => <>Zuletzt ausgeführt {at}.</>,
    never: "Seit dem Start nicht ausgeführt",
    outcomes: { good: "In Ordnung", warning: "Warnung", bad: "Problem", unknown: "Unbekannt" },
    check: (name) => CHECKS[name] ?? name,
  },

  identities: {
    title: "Ausgehende Identitäten",
    intro:
      "Adressen und Namen, die Mailserver sehen. Jede hat eigene Limits; ist eine blockiert, übernimmt die nächste.",
    name: "Identität",
    origin: "Adresse oder Proxy",
    machine: "Adresse der Maschine",
    down: "Ausgefallen",
    names: "EHLO-Name und Absender",
    today: "Sitzungen heute",
    ofCap: (today, cap) =>
      cap === null ? formatNumber(today) : `${formatNumber(today)} von ${formatNumber(cap)}`,
    usedUp: "Grenze erreicht",
    blocked: "Blockiert bei",
    blockedAt: (shown, total) => (shown.length > 0 ? shown.join(", ") : `${total} Hosts`),
    providers: (providers) => `Nur ${formatList(providers)}`,
    share: (share) => `Anteil ${formatNumber(share)}`,
    owner: (owner) => `Gehört ${owner}`,
  },

  providers: {
    title: "Mailanbieter",
    refuses: (provider, since) => (
      <>
        {provider} weist diese Installation seit {since} ab
      </>
    ),
    lists: (list, since) => (
      <>
        Die Adresse dieser Installation steht auf der Sperrliste {list}, bemerkt {since}
      </>
    ),
    fromIdentity: (provider, identity) => `${provider} (von ${identity})`,
    waits: "Zeilen von Listen warten darauf und werden erstattet, wenn es dabei bleibt.",
    retryAt: (at) => <>Nächster Versuch nach {at}.</>,
    removal: "Entsperrung beantragen",
    slowed: (providers) => `Gedrosselt von ${formatList(providers)}.`,
  },

  throttling: {
    title: "Drosselung",
    intro:
      "Hosts und Anbieter, die um weniger Anfragen gebeten haben. Hosts, die uns dauerhaft ablehnen, werden pausiert.",
    none: "Kein Host wird gedrosselt.",
    host: "Host oder Anbieter",
    fromIdentity: (identity) => `Von ${identity}`,
    concurrency: "Gleichzeitig",
    delay: "Verzögerung",
    milliseconds: (ms) => `${formatNumber(ms)} ms`,
    breaker: "Schutzschalter",
    open: "Ausgelöst",
    until: (at) => <>bis {at}</>,
    closed: "Nicht ausgelöst",
    reply: "Antwort des Servers",
  },

  lists: {
    title: "Referenzlisten",
    summary: (domains, isPackaged, ageDays, isDaily) =>
      `${formatNumber(domains)} Wegwerf-Domains, ${isPackaged ? "wie ausgeliefert" : "aktualisiert"}, ${common.days(ageDays)} alt. ${
        isDaily ? "Täglich aktualisiert." : "Die automatische Aktualisierung ist aus (LISTS_REFRESH)."
      }`,
    failed: (at, reason) => (
      <>
        Letzte Aktualisierung fehlgeschlagen {at}: {reason}
      </>
    ),
  },

  adjudicator: {
    title: "Sprachmodell",
    intro: (model) =>
      `${model} gibt eine zweite Meinung zu mehrdeutigen Postfachnamen. Wenn es ausfällt, entscheidet das lokale Modell.`,
    budget: (asked, budget) =>
      `Heute (UTC) ${formatNumber(asked)} von ${plural(budget, "Anfrage", "Anfragen")} verbraucht.`,
    counts: (answered, cached, failed, skipped) =>
      `Seit dem Start dieses Prozesses: ${formatNumber(answered)} beantwortet, ${formatNumber(cached)} aus dem Zwischenspeicher, ${formatNumber(failed)} fehlgeschlagen, ${formatNumber(skipped)} übersprungen.`,
    paused: (until) => <>Nach wiederholten Fehlern angehalten bis {until}.</>,
  },
};
