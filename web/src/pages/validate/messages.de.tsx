/** German texts of the validate page: form, verdict, stages, and the advice for each sub-status. */
import type { Status, SubStatus } from "@mailvet/contract";
import { formatNumber } from "../../components/number-format.ts";
import { common } from "../../messages.de.ts";
import type { Translation } from "../../translation.ts";
import type * as english from "./messages.tsx";

export const messages: Translation<typeof english.messages> = {
  title: "Prüfen",
  intro: "Prüfen Sie eine Adresse, und sehen Sie, wie die Bewertung zustande kommt.",

  form: {
    email: "E-Mail-Adresse",
    placeholder: "anna@example.com",
    empty: "Geben Sie eine E-Mail-Adresse ein.",
    submit: (price) => `Prüfen (${price})`,
    examples: "Oder probieren Sie ein Beispiel. Adressen bei mailvet.test sind simuliert und kostenlos.",
  },
  checking: (email) => `${email} wird geprüft`,
  checkingHint: "Meist ein bis zwei Sekunden; bis zu 30 Sekunden, wenn ein Mailserver langsam ist.",
  notChecked:
    "In diesem Tab noch nicht geprüft. Diese Seite zu öffnen ist kostenlos; „Prüfen“ startet die Prüfung.",
  announcement: (email, status: Status, reason) =>
    `${email} ist ${common.status[status].toLowerCase()}. ${reason}`,
  resultFor: (email) => `Ergebnis für ${email}`,
  suggestion: "Meinten Sie eine andere Adresse?",
  checkSuggestion: (price) => `Vorschlag prüfen (${price})`,
  failed: "Die Prüfung war nicht möglich",
  outOfCredits: "Ihr Guthaben ist aufgebraucht",
  outOfCreditsText: (available, link) => (
    <>
      Eine Prüfung kostet 1 Credit, und Sie haben {common.credits(available)}. {common.askForCredits} {link}
    </>
  ),
  seeUsage: "Nutzung ansehen",

  retry: {
    ready: "Bereit für einen neuen Versuch",
    readyText: "Die Wartezeit ist vorbei.",
    waitingText: (duration) =>
      `Versuchen Sie es in ${duration} erneut. Ein früherer Versuch hilft wahrscheinlich nicht.`,
    retry: (price) => `Erneut prüfen (${price})`,
    retryIn: (time) => `Erneut prüfen in ${time}`,
  },

  history: {
    title: "Letzte Prüfungen (dieser Tab)",
    intro: "Verfügbar, bis Sie den Tab schließen. Erneutes Ansehen ist kostenlos.",
    shown: "oben angezeigt",
  },

  howItWorks: {
    title: "So funktioniert es",
    steps: [
      ["Syntax", "Ist die Adresse richtig aufgebaut und bei ihrem Anbieter möglich?"],
      ["DNS und Listen", "Gehört die Domain einem Wegwerfdienst, und welche Server empfangen ihre Mail?"],
      ["Postfach", "Wir fragen den Mailserver, ob das Postfach existiert. Es wird keine E-Mail gesendet."],
      [
        "Catch-all",
        "Wir versuchen auch ein erfundenes Postfach: Ein Server, der alles annimmt, beweist nichts.",
      ],
    ],
    results: "Mögliche Ergebnisse",
    meanings: {
      valid: "Der Server nimmt dieses Postfach an und lehnt erfundene ab.",
      risky: "Vielleicht zustellbar, aber es gibt einen Grund zur Vorsicht.",
      unknown: "Wir konnten es nicht feststellen. Sie sehen, warum und wann ein neuer Versuch lohnt.",
      invalid: "Eine Nachricht wäre unzustellbar.",
    },
  },

  card: {
    source: "Quelle",
    confidence: "Konfidenz",
    confidenceHint: (status: Status) =>
      `Wie sicher die Bewertung „${common.status[status].toLowerCase()}“ ist.`,
    score: common.score,
    scoreOf: (score) => `${score} von 100`,
    scoreHint: "Geschätzte Wahrscheinlichkeit in Prozent, dass eine Nachricht jetzt angenommen wird.",
    sandbox: "Sandbox: simuliert",
    cached: (at) => <>Zwischengespeichert {at}</>,
    checked: (at, took) => (
      <>
        Geprüft {at} in {took}
      </>
    ),
    milliseconds: (ms) => `${formatNumber(ms)}\u00a0ms`,
    seconds: (seconds) => `${seconds}\u00a0s`,
  },

  stages: {
    title: "So kam die Bewertung zustande",
    verdict: common.verdict,
    json: "JSON-Antwort",
    confirmed: "Es gibt einen direkten Beleg, dass dieses Postfach existiert.",
    unconfirmed: "Nichts bestätigt, dass dieses Postfach existiert.",
    flags: "Merkmale:",
    noFlags: "keine",
    skipped: "übersprungen",
  },

  syntax: {
    title: "Syntax",
    malformed: ["fehlerhaft", "Die Adresse ist falsch aufgebaut."],
    rule: "Verletzte Regel",
    normalized: "Normalisiert",
    canonical: "Kanonische Form",
    role: "Funktionsadresse",
    subaddressed: "+Tag",
    wellFormed: "richtig aufgebaut",
    roleAddress: "richtig aufgebaut, Funktionsadresse",
    meaning: "Die Adresse entspricht RFC 5321 und RFC 6531.",
    reasons: {
      provider_syntax: [
        "unmöglich",
        "Richtig aufgebaut, aber bei diesem Anbieter nicht möglich. Kein Server wurde kontaktiert.",
      ],
      reserved_domain: [
        "reserviert",
        "Richtig aufgebaut, aber die Domain ist reserviert und empfängt nie öffentliche Mail. Kein Server wurde kontaktiert.",
      ],
    },
  },

  lists: {
    title: "Reputationslisten",
    noDomain: "Es gibt keine Domain zum Nachschlagen.",
    disposable: "Wegwerfadresse",
    relay: "Weiterleitungsdienst",
    agent: "Postfach eines Agenten",
    free: "Kostenloser Anbieter",
    provider: "Anbieter",
    disposableFound: [
      "Wegwerfadresse",
      "Postfächer dort bestehen Minuten oder Tage und sind oft öffentlich lesbar.",
    ],
    relayFound: ["Weiterleitungsdienst", "Leitet an ein privates Postfach weiter."],
    agentFound: ["Postfach eines Agenten", "Für Software-Agenten gemacht, die die Mail lesen."],
    clean: ["kein Treffer", "Die Domain steht auf keiner Liste von Wegwerfdiensten."],
  },

  dns: {
    title: "DNS",
    skipped: "Die Syntaxprüfung hat bereits entschieden, oder DNS-Abfragen sind deaktiviert.",
    domain: "Domain",
    mailServer: "Mailserver",
    spf: "SPF (erlaubte Absender)",
    dmarc: "DMARC (Umgang mit gefälschter Mail)",
    mtaSts: "MTA-STS (erzwungenes TLS)",
    acceptsMail: "nimmt Mail an",
    mx: "Die Domain hat einen Mailserver.",
    implicitMx: "Kein MX-Eintrag; Mail geht an den Host der Domain selbst (RFC 5321 §5.1).",
    noneFound: ["kein Mailserver gefunden", "Das DNS lieferte keinen Mailserver."],
    reasons: {
      domain_not_found: ["existiert nicht", "Die Domain existiert nicht oder hat keine öffentliche Adresse."],
      no_mail_server: ["kein Mailserver", "Die Domain existiert, hat aber weder MX- noch Adresseinträge."],
      null_mx: ["nimmt keine Mail an", "Die Domain veröffentlicht einen Null-MX-Eintrag (RFC 7505)."],
      unroutable_mail_server: ["nicht erreichbar", "Keiner ihrer Mailserver hat eine öffentliche Adresse."],
      dns_error: [
        "keine Antwort",
        "Die Nameserver haben nicht geantwortet. Die Domain kann trotzdem existieren.",
      ],
    },
  },

  smtp: {
    title: "Antwort des Servers",
    noServer: "Es gibt keinen Mailserver, der gefragt werden könnte.",
    notAsked: "SMTP-Prüfungen sind deaktiviert oder waren nicht nötig.",
    accepted: [
      "angenommen",
      "Der Server würde eine Nachricht für dieses Postfach annehmen. Es wurde keine gesendet.",
    ],
    knownCatchAll: "Die Domain ist als Catch-all bekannt, daher wurde dieses Postfach nicht einzeln geprüft.",
    unsupported: "nicht unterstützt",
    noAnswer: ["keine Antwort", "Der Server gab keine Antwort."],
    silence: {
      smtp_unreachable: "Keiner der Mailserver der Domain hat eine Verbindung angenommen.",
      smtp_timeout: "Der Server hat nicht rechtzeitig geantwortet.",
      smtp_protocol_error: "Die Verbindung brach ab, oder die Antwort war ungültig.",
      egress_blocked: "Diese Installation erreicht keine Mailserver: Der ausgehende Port 25 ist blockiert.",
      smtputf8_unsupported: "Der Server unterstützt keine Adressen mit Nicht-ASCII-Zeichen (SMTPUTF8).",
    },
    rejected: ["abgelehnt", "Der Server hat dieses Postfach dauerhaft abgelehnt."],
    full: ["voll", "Das Postfach existiert, aber sein Speicher ist voll."],
    restricted: ["eingeschränkt", "Das Postfach existiert, nimmt aber keine Mail von externen Absendern an."],
    notAccepted: [
      "nicht angenommen",
      "Der Server hat das Postfach aus dem von ihm genannten Grund nicht angenommen.",
    ],
    inconclusive: ["nicht eindeutig", "Der Server hat das Postfach weder angenommen noch abgelehnt."],
    server: "Mailserver",
  },

  catchAll: {
    title: "Catch-all-Test",
    skipped: "Ein erfundenes Postfach wird nur versucht, wenn der Server das echte annimmt.",
    confidence: "Konfidenz",
    found: [
      "Catch-all",
      "Die Domain ist ein Catch-all: Sie nimmt Mail für jeden Namen an, daher beweist ihre Antwort nichts über dieses Postfach.",
    ],
    inconclusive: [
      "nicht eindeutig",
      "Wir konnten nicht feststellen, ob der Server jeden Namen annimmt, daher beweist seine Antwort noch nichts.",
    ],
    irrelevant: ["nicht relevant", "Das Postfach selbst wurde nicht angenommen."],
    rejected: [
      "abgelehnt",
      "Der Server lehnt erfundene Namen ab. Dass er dieses Postfach annimmt, heißt also, dass es existiert.",
    ],
  },

  ai: {
    title: "KI-Einschätzung",
    random: "sieht zufällig aus",
    randomMeaning: "Das Modell hält den Namen des Postfachs für zufällig.",
    meaning:
      "Der Mailserver ließ es offen, daher hat ein Modell den Namen des Postfachs eingeschätzt. Das ändert den Score, macht aber nie eine Adresse ungültig.",
    reasons: (reasons) => ` Gründe: ${reasons.join("; ")}.`,
    method: "Methode",
    score: "Plausibilität (50 % ist neutral)",
    undecided: "unentschieden",
    likely: "plausibel",
    unlikely: "unplausibel",
  },
};

const SYNTAX_DECIDES = "Die Syntaxprüfung entscheidet, bevor ein Server kontaktiert wird.";
const DNS_DECIDES = "Ohne Mailserver kann das Postfach nicht geprüft werden.";
const BLOCKED = "Der Server hat unsere Prüfung abgelehnt, nicht das Postfach; damit ist nichts entschieden.";
const NO_ANSWER = "Weder angenommen noch abgelehnt: kein Beleg für oder gegen das Postfach.";
const SERVER_DECIDES = "Die Antwort des Servers zu diesem Postfach hat Vorrang.";
const ONLY_CONCERN = "Das Postfach ist bestätigt; das ist das einzige Bedenken.";
const NOT_CONTACTED = "Kein Server wurde kontaktiert; damit ist nichts entschieden.";
const RETRY_LATER =
  "Behandeln Sie die Adresse bis zu einem neuen Versuch als unentschieden, nicht als schlecht.";
const BOUNCES = "Nicht senden. Eine Nachricht wäre unzustellbar.";
const REMOVE = "Nicht senden und aus Ihrer Liste entfernen: Eine Nachricht wäre unzustellbar.";
const ASK_AGAIN = "Nicht senden. Fragen Sie noch einmal nach der Adresse.";

export const ADVICE: Record<SubStatus, english.Advice> = {
  "": {
    action: "Keine Bedenken.",
    reason:
      "Der Server nimmt dieses Postfach an und lehnt ein erfundenes ab, und sonst wurde nichts gefunden.",
  },
  privacy_relay: {
    action:
      "Keine Bedenken. Der Dienst leitet an ein privates Postfach weiter und kann vom Inhaber abgeschaltet werden.",
    reason: "Das Postfach ist bestätigt, und eine Weiterleitung spricht nicht dagegen.",
  },
  agent_mailbox: {
    action: "Keine Bedenken. Ein Software-Agent liest dieses Postfach, ein Mensch vielleicht nie.",
    reason: "Das Postfach ist bestätigt, und wer es liest, spricht nicht dagegen.",
  },

  syntax_error: { action: ASK_AGAIN, reason: SYNTAX_DECIDES },
  provider_syntax: { action: ASK_AGAIN, reason: SYNTAX_DECIDES },
  reserved_domain: {
    action: "Nicht senden. Die Domain ist für Tests und Beispiele gedacht.",
    reason: SYNTAX_DECIDES,
  },
  domain_not_found: {
    action: "Nicht senden. Prüfen Sie die Domain auf einen Tippfehler.",
    reason: DNS_DECIDES,
  },
  no_mail_server: { action: BOUNCES, reason: DNS_DECIDES },
  null_mx: { action: "Nicht senden. Die Domain nimmt keine Mail an.", reason: DNS_DECIDES },
  unroutable_mail_server: { action: BOUNCES, reason: DNS_DECIDES },
  mailbox_not_found: { action: REMOVE, reason: SERVER_DECIDES },
  mailbox_disabled: { action: REMOVE, reason: SERVER_DECIDES },
  domain_not_accepted: { action: BOUNCES, reason: SERVER_DECIDES },
  smtputf8_unsupported: {
    action: "Nicht senden. Fragen Sie nach einer anderen Adresse.",
    reason: SERVER_DECIDES,
  },

  disposable: {
    action: "Nicht senden. Fragen Sie nach einer dauerhaften Adresse.",
    reason: "Das Postfach existiert vielleicht, aber die Domain gehört einem Wegwerfdienst.",
  },
  catch_all: {
    action:
      "Ihre Entscheidung: Der Server nimmt jeden Namen an, eine Nachricht kann also trotzdem zurückkommen oder ungelesen bleiben. Beginnen Sie mit den besten Scores, in kleinen Mengen.",
    reason: "Wo jeder Name angenommen wird, beweist die Annahme nichts.",
  },
  role_based: {
    action: "Geeignet für Antworten und Rechnungen, nicht für Newsletter: Mehrere Personen lesen mit.",
    reason: ONLY_CONCERN,
  },
  restricted: {
    action: "Nicht senden. Bitten Sie den Empfänger um eine andere Adresse oder darum, Ihre Mail zuzulassen.",
    reason: SERVER_DECIDES,
  },
  mailbox_full: {
    action: "Warten Sie einige Tage, und prüfen Sie vor dem Versand erneut.",
    reason: SERVER_DECIDES,
  },
  possible_typo: {
    action: "Fragen Sie den Empfänger, ob der Vorschlag stimmt, bevor Sie etwas Vertrauliches senden.",
    reason: ONLY_CONCERN,
  },
  low_quality: {
    action: "Lassen Sie die Adresse per Link in einer E-Mail bestätigen, bevor Sie sich auf sie verlassen.",
    reason: ONLY_CONCERN,
  },

  greylisted: { action: RETRY_LATER, reason: NO_ANSWER },
  rate_limited: { action: RETRY_LATER, reason: BLOCKED },
  probe_blocked: {
    action: "Behalten Sie die Adresse auf Ihrer Liste. Ihre eigene Mail wird vielleicht angenommen.",
    reason: BLOCKED,
  },
  temporary_error: { action: RETRY_LATER, reason: NO_ANSWER },
  smtp_unreachable: { action: RETRY_LATER, reason: NO_ANSWER },
  smtp_timeout: { action: RETRY_LATER, reason: NO_ANSWER },
  smtp_protocol_error: { action: RETRY_LATER, reason: NO_ANSWER },
  egress_blocked: {
    action: "Informieren Sie Ihren Administrator: Diese Installation braucht den ausgehenden Port 25.",
    reason: NOT_CONTACTED,
  },
  server_untrusted: {
    action: RETRY_LATER,
    reason: "Der Server unterschied Postfächer nicht erkennbar, daher beweist seine Antwort nichts.",
  },
  smtp_skipped: {
    action: "Nichts spricht dagegen. Eine Prüfung der Stufe smtp fragt den Mailserver nach dem Postfach.",
    reason: NOT_CONTACTED,
  },
  dns_error: { action: RETRY_LATER, reason: "Ein Ausfall der Nameserver sagt nichts über die Domain aus." },
  internal_error: {
    action: "Versuchen Sie es erneut. Schlägt es wieder fehl, informieren Sie Ihren Administrator.",
    reason: NO_ANSWER,
  },
};

const FLAGS: Readonly<Record<string, string>> = {
  disposable: "Wegwerfadresse",
  privacy_relay: "Weiterleitungsdienst",
  agent_mailbox: "Postfach eines Agenten",
  free_provider: "kostenloser Anbieter",
  role_based: "Funktionsadresse",
  no_reply: "No-Reply-Adresse",
  subaddressed: "+Tag",
  look_alike_domain: "ähnliche Domain",
  quoted_local_part: "Name in Anführungszeichen",
  needs_smtputf8: "braucht SMTPUTF8",
  international_domain: "internationalisierte Domain",
  ip_literal: "IP-Adresse als Domain",
  implicit_mx: "kein MX-Eintrag",
  catch_all: "Catch-all",
  bounced_before: "früher unzustellbar (Ihre Meldung)",
  score_calibrated: "Score durch Ihre Meldungen angepasst",
  delivered_before: "früher zugestellt (Ihre Meldung)",
  complained_before: "frühere Beschwerde (Ihre Meldung)",
  no_control: "ohne Gegenprobe",
  dns_not_asked: "DNS nicht geprüft",
  smtp_not_asked: "SMTP nicht geprüft",
};

export function flagText(flag: string): string {
  return FLAGS[flag] ?? flag.replaceAll("_", " ");
}
