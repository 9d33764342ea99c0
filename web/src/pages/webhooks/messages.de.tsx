/** German texts of the webhook pages. */
import { plural } from "../../components/number-format.ts";
import { formatDay } from "../../components/timestamp.tsx";
import { type Sentences, translated, URL_REJECTIONS } from "../../messages.de.ts";
import type { Translation } from "../../translation.ts";
import type * as english from "./messages.tsx";

const responded = (status: number | string) => `Der Endpunkt hat mit ${status} geantwortet.`;

/** Why an attempt failed, and why an endpoint was disabled. */
const TROUBLES: Sentences = [
  [
    /^The endpoint answered (\d+)\. Redirects/,
    (status) => `${responded(status)} Weiterleitungen wird nicht gefolgt.`,
  ],
  [/^The endpoint answered (\d+)/, responded],
  [
    /^No connection, or no response within (\d+) s\.$/,
    (seconds) => `Keine Verbindung oder keine Antwort innerhalb von ${seconds}\u00a0s.`,
  ],
  [
    /^No successful delivery since (\S+)\.$/,
    (at) => `Keine erfolgreiche Zustellung seit dem ${formatDay(at)}.`,
  ],
  [/^The connection was closed before/, () => "Die Verbindung wurde vor einer Antwort geschlossen."],
  [
    /^The TLS certificate is expired/,
    () =>
      "Das TLS-Zertifikat ist abgelaufen, gilt nicht für diesen Namen oder stammt von keiner vertrauenswürdigen Stelle.",
  ],
  [/^The TLS handshake failed\.$/, () => "Der TLS-Handshake ist fehlgeschlagen."],
  [/^The response headers are too large\.$/, () => "Die Header der Antwort sind zu groß."],
  [/^The response is not valid HTTP\.$/, () => "Die Antwort ist kein gültiges HTTP."],
  [/^The endpoint was disabled before/, () => "Der Endpunkt wurde vor der Zustellung deaktiviert."],
  [/^An internal error prevented/, () => "Ein interner Fehler hat die Zustellung verhindert."],
  [
    /^A delivery failed repeatedly/,
    () => "Eine Zustellung ist wegen eines internen Fehlers wiederholt fehlgeschlagen.",
  ],
  ...URL_REJECTIONS,
];

const trouble = (sentence: string) => translated(TROUBLES, sentence) ?? sentence;

export const messages: Translation<typeof english.messages> = {
  title: "Webhooks",
  intro: "Lassen Sie sich benachrichtigen, wenn ein Auftrag endet oder das Guthaben knapp wird.",
  list: "Endpunkte",
  add: "Endpunkt hinzufügen",
  none: "Noch keine Endpunkte",
  noneText:
    "Fügen Sie eine URL hinzu. Jede Nachricht ist signiert und wird bis zu 24 Stunden lang wiederholt, bis sie zugestellt ist.",
  columns: { name: "Endpunkt", status: "Status", url: "URL", events: "Ereignisse", added: "Hinzugefügt" },
  allEndpoints: "← Alle Endpunkte",
  endpoint: "Webhook",
  notFound: {
    title: "Webhook nicht gefunden",
    reason: "Vielleicht wurde er gelöscht",
    hint: "Oder er gehört zu einem anderen Konto, oder der Link enthält einen Tippfehler.",
    back: "Zu den Webhooks",
  },

  form: {
    url: "URL",
    urlHint: "Eine öffentliche https://-URL, die innerhalb von 15 Sekunden mit 2xx antwortet.",
    urlPlaceholder: "https://example.com/hooks/mailvet",
    description: "Beschreibung",
    events: "Ereignisse",
    allEvents: "Alle Ereignisse, auch künftige",
    selectedEvents: "Ausgewählte Ereignisse",
    eventList: "Ausgewählte Ereignisse",
    eventsMissing: "Wählen Sie mindestens ein Ereignis aus.",
  },
  everyEvent: "Alle Ereignisse",
  events: {
    "job.completed": "Ein Auftrag ist abgeschlossen; seine Ergebnisse liegen vor.",
    "job.failed": "Ein Auftrag ist fehlgeschlagen.",
    "job.cancelled": "Ein Auftrag wurde abgebrochen.",
    "job.paused": "Ein Auftrag wurde angehalten.",
    "validation.completed":
      "Eine einzelne Prüfung mit der Bewertung „unbekannt“ wurde wiederholt und hat ihr endgültiges Ergebnis.",
    "credits.low": "Das Guthaben ist unter 100 Credits gefallen.",
    "list.changed": "Adressen einer gespeicherten Liste sind gültig oder ungültig geworden.",
    "api_key.created": "Ein API-Schlüssel wurde erstellt.",
    "api_key.revoked": "Ein API-Schlüssel wurde widerrufen.",
    "webhook.test": "Ein Testereignis wurde gesendet.",
  },

  status: {
    disabled: "Deaktiviert",
    failing: "Fehlerhaft",
    enabled: "Aktiv",
    disabledReason: (reason) => `Automatisch deaktiviert. ${trouble(reason)}`,
    failingSince: (at) => <>Keine erfolgreiche Zustellung seit {at}.</>,
  },
  actions: {
    test: "Testereignis senden",
    testSent: "Testereignis gesendet. Seine Zustellung sehen Sie unten.",
    disable: "Deaktivieren",
    enable: "Aktivieren",
  },

  deliveries: {
    title: "Zustellungen",
    intro:
      "Die letzten 30 Tage. Fehlgeschlagene Zustellungen werden 24 Stunden lang in wachsenden Abständen wiederholt.",
    filter: "Zustellungen filtern",
    all: "Alle",
    states: { pending: "Offen", delivered: "Zugestellt", failed: "Fehler" },
    noneInState: "Keine solchen Zustellungen.",
    none: "Noch keine Zustellungen. Senden Sie ein Testereignis, um eine zu sehen.",
    id: (id) => `webhook-id ${id}`,
    notAttempted: "Noch nicht versucht.",
    attempts: (count, lastAt, result) => (
      <>
        {plural(count, "Versuch", "Versuche")}, zuletzt {lastAt}. {result}
      </>
    ),
    nextAttempt: (at) => <>Nächster Versuch {at}.</>,
    responded,
    trouble,
    retryNow: "Jetzt wiederholen",
    resend: "Erneut senden",
    enableFirst: "Aktivieren Sie zuerst den Endpunkt.",
  },

  settings: "Einstellungen",
  secret: {
    title: "Signaturgeheimnis",
    intro: "Das Geheimnis wurde einmal angezeigt. Sie können es nicht mehr ansehen, aber erneuern.",
    label: "Geheimnis",
    rotate: "Geheimnis erneuern",
    created: "Endpunkt hinzugefügt",
    createdText: (host) =>
      `Nachrichten an ${host} werden mit diesem Geheimnis signiert. Bewahren Sie es sicher auf. Es wird nicht noch einmal angezeigt.`,
    rotated: "Geheimnis erneuert",
    rotatedText:
      "24 Stunden lang werden Nachrichten mit beiden Geheimnissen signiert. Stellen Sie Ihren Endpunkt in dieser Zeit um. Das neue Geheimnis wird nicht noch einmal angezeigt.",
    rotateTitle: "Geheimnis erneuern?",
    rotateText: "Sie erhalten ein neues Geheimnis. Das alte bleibt 24 Stunden lang gültig.",
    verify: (install) => (
      <>
        Nachrichten folgen der Spezifikation Standard Webhooks. Prüfen Sie mit deren Bibliothek ({install}),
        ob eine Nachricht von uns stammt:
      </>
    ),
    example: "Beispiel",
    exampleComment:
      "body: der unveränderte Inhalt der Anfrage. Wirft einen Fehler, wenn die Signatur ungültig oder zu alt ist.",
  },
  delete: {
    title: "Endpunkt löschen",
    intro: "Löscht den Endpunkt und den Verlauf seiner Zustellungen.",
    button: "Endpunkt löschen",
    confirmTitle: "Diesen Endpunkt löschen?",
    keep: "Endpunkt behalten",
    text: (host) =>
      `An ${host} wird nichts mehr gesendet, und ausstehende Zustellungen werden verworfen. Um Zustellungen nur anzuhalten, deaktivieren Sie ihn.`,
  },
};
