/** Sentences about a verdict in German. Texts that are part of the evidence are in English and are translated here. */
import { type AddressSyntaxError, offendingText, type SyntaxRule } from "../address/syntax-error.ts";
import type { Evidence } from "../evidence.ts";
import { dnsErrorOf, isReceivingTooFast, isUnasked, type ReasonTexts } from "./reason-texts.ts";

export const GERMAN: ReasonTexts = {
  domain: "die Domain",
  serverOf: (domain) => `der Mailserver von ${domain}`,
  reasons: {
    "": ({ server, evidence }) =>
      isReceivingTooFast(evidence)
        ? `${server} meldet, dass dieses Postfach zu schnell Mail empfängt; es existiert also.`
        : `${server} nimmt dieses Postfach an und lehnt erfundene ab.`,
    privacy_relay: ({ server }) =>
      `${server} nimmt diese Weiterleitungsadresse an, die zu einem verborgenen Postfach führt.`,
    agent_mailbox: ({ server }) => `${server} nimmt dieses Postfach an, das ein Software-Agent liest.`,

    syntax_error: ({ evidence }) => syntaxErrorText(evidence.syntaxError),
    provider_syntax: ({ evidence }) => providerText(evidence.providerSyntaxError),
    reserved_domain: ({ evidence }) =>
      `Diese Domain hat keine öffentliche Mail: ${specialUseText(evidence.specialUse)}.`,
    domain_not_found: ({ domain }) =>
      `Die Domain ${domain} existiert nicht oder hat keine öffentliche Adresse.`,
    no_mail_server: ({ domain }) => `Die Domain ${domain} hat keinen Mailserver.`,
    null_mx: ({ domain }) => `Die Domain ${domain} erklärt, dass sie keine Mail annimmt (Null-MX).`,
    unroutable_mail_server: ({ domain }) => `Kein Mailserver von ${domain} hat eine öffentliche IP-Adresse.`,
    mailbox_not_found: ({ server, evidence }) =>
      evidence.mailbox?.isLikeDecoy
        ? `${server} lehnt dieses Postfach mit derselben Antwort ab wie erfundene.`
        : `${server} meldet, dass dieses Postfach nicht existiert.`,
    mailbox_disabled: ({ server }) => `${server} meldet, dass dieses Postfach deaktiviert ist.`,
    domain_not_accepted: ({ domain }) =>
      `Die Mailserver von ${domain} melden, dass sie keine Mail für diese Domain annehmen.`,
    smtputf8_unsupported: ({ server }) =>
      `${server} unterstützt keine Postfachnamen mit Nicht-ASCII-Zeichen (SMTPUTF8).`,

    disposable: ({ domain, evidence }) => DISPOSABLE[evidence.disposable ?? "domain"](domain),
    catch_all: ({ server, domain }) =>
      `${server} nimmt jede Adresse bei ${domain} an (Catch-all), daher ist dieses Postfach nicht bestätigt.`,
    role_based: () =>
      "Das Postfach existiert, ist aber eine Funktionsadresse eines Teams oder eines Systems.",
    mailbox_full: () => "Das Postfach existiert, ist aber voll.",
    restricted: ({ server }) =>
      `Das Postfach existiert, aber ${server} nimmt dafür keine Mail von externen Absendern an.`,
    possible_typo: ({ domain, evidence: { suggestion } }) =>
      `Das Postfach existiert, aber ${domain} sieht nach einem Tippfehler aus${suggestion ? `; gemeint ist wohl ${suggestion.email}` : ""}.`,
    low_quality: () => "Das Postfach existiert, aber sein Name sieht zufällig aus.",

    greylisted: ({ server }) => `${server} bat um einen späteren Versuch (Greylisting).`,
    rate_limited: ({ server }) => `${server} begrenzt die Anzahl unserer Prüfungen.`,
    probe_blocked: ({ server, evidence }) =>
      isUnasked(evidence)
        ? `${server} weist die Adresse dieser Installation zurzeit ab. Dieses Postfach wurde deshalb nicht geprüft.`
        : `${server} hat unsere Prüfung blockiert. Das sagt nichts über das Postfach aus.`,
    temporary_error: ({ server, domain, evidence }) =>
      evidence.mailbox?.isByBackup
        ? `${server} lehnt dieses Postfach ab, ist aber ein Ersatzserver eines anderen Betreibers, und der bevorzugte Mailserver von ${domain} hat nicht geantwortet.`
        : `${server} meldet einen vorübergehenden Fehler.`,
    smtp_unreachable: ({ domain }) => `Kein Mailserver von ${domain} war erreichbar.`,
    smtp_timeout: ({ server }) => `${server} hat nicht rechtzeitig geantwortet.`,
    smtp_protocol_error: ({ server }) =>
      `${server} hat die Verbindung beendet oder eine ungültige Antwort gesendet.`,
    egress_blocked: () =>
      "Diese Installation kann den Mailserver nicht erreichen: Der ausgehende Port 25 ist blockiert oder wird abgefangen, oder es gibt keine Route zu ihm.",
    server_untrusted: ({ server }) =>
      `Es ließ sich nicht bestätigen, dass ${server} vorhandene und erfundene Postfächer unterscheidet; die Antwort beweist daher nichts.`,
    smtp_skipped: ({ evidence: { isStopped, route } }) =>
      isStopped
        ? "Der Auftrag wurde abgeschlossen, bevor diese Adresse geprüft war."
        : route
          ? "Die Domain nimmt Mail an. Das Postfach wurde nicht geprüft (Stufe dns)."
          : "Die Adresse ist richtig aufgebaut. Weder DNS noch Mailserver wurden geprüft (Stufe syntax).",
    dns_error: ({ domain, evidence }) => {
      switch (dnsErrorOf(evidence)) {
        case "unreachable":
          return "Keiner unserer DNS-Server ist erreichbar. Das ist ein Problem dieser Installation.";
        case "disbelieved":
          return `Unsere DNS-Server melden, dass ${domain} nicht existiert, was nicht plausibel ist. Prüfen Sie die DNS-Konfiguration dieser Installation.`;
        default:
          return `Die DNS-Abfrage für ${domain} ist fehlgeschlagen. Das sagt nichts über das Postfach aus.`;
      }
    },
    internal_error: () => "Die Prüfung ist wegen eines internen Fehlers fehlgeschlagen.",
  },
  decoyReply: (words) => ` Er nimmt dieses Postfach an; seine Antwort zu einem erfundenen: ${words}.`,
  outcomes: {
    delivered: " Sie haben gemeldet, dass eine Nachricht dorthin zugestellt wurde.",
    bounced: " Sie haben gemeldet, dass eine Nachricht dorthin unzustellbar war.",
    complained: " Sie haben gemeldet, dass der Inhaber eine Nachricht als Spam markiert hat.",
  },
};

const DISPOSABLE: Record<NonNullable<Evidence["disposable"]>, (domain: string) => string> = {
  own_list: (name) => `${name} steht auf Ihrer eigenen Sperrliste.`,
  domain: (name) => `${name} ist ein Dienst für Wegwerfadressen.`,
  mail_host: (name) => `${name} nutzt die Mailserver eines Dienstes für Wegwerfadressen.`,
};

const MALFORMED = "Die Adresse ist falsch aufgebaut.";

/** By rule. `what` is the offending text. */
const SYNTAX_ERRORS: Record<SyntaxRule, (what: string) => string> = {
  empty: () => "Die Adresse ist leer.",
  too_long_to_read: () => "Der Text ist zu lang für eine Adresse.",
  missing_at: () => "Das @ zwischen Postfachname und Domain fehlt.",
  several_at: () => "Es gibt ein zweites @; das ist nur innerhalb von Anführungszeichen erlaubt.",
  display_name: () => "Geben Sie nur die Adresse ein, ohne Anzeigenamen und < >.",
  several_addresses: (what) => `Das sieht nach mehr als einer Adresse aus, getrennt durch ${what}.`,
  lone_surrogate: () => "Der Text enthält ein unvollständiges Unicode-Zeichen.",
  control_character: (what) => `Die Adresse enthält ein Steuerzeichen (${what}).`,
  invisible_character: (what) => `Die Adresse enthält ein unsichtbares Zeichen (${what}).`,
  lost_character: () => "Ein Zeichen ging bei einer Umwandlung verloren: An seiner Stelle steht U+FFFD.",

  local_empty: () => "Der Postfachname vor dem @ fehlt.",
  local_too_long: () => "Der Postfachname vor dem @ ist länger als 64 Oktette.",
  local_white_space: () =>
    "Der Postfachname enthält Leerraum; das ist nur innerhalb von Anführungszeichen erlaubt.",
  local_character: (what) =>
    `Der Postfachname enthält ${what}; das ist nur innerhalb von Anführungszeichen erlaubt.`,
  local_leading_dot: () => "Der Postfachname beginnt mit einem Punkt.",
  local_trailing_dot: () => "Der Postfachname endet mit einem Punkt.",
  local_double_dot: () => "Der Postfachname enthält zwei Punkte hintereinander.",
  quote_unclosed: () => "Dem Postfachnamen in Anführungszeichen fehlt das schließende Zeichen.",
  quote_then_text: () =>
    "Auf das schließende Anführungszeichen muss das @ folgen; gemischte Schreibweisen sind veraltet.",
  quote_in_the_middle: () => "Ein Anführungszeichen ist nur am Anfang des Postfachnamens erlaubt.",
  quoted_pair: (what) =>
    `Innerhalb von Anführungszeichen muss auf einen Backslash ein druckbares ASCII-Zeichen folgen, nicht ${what}.`,
  comment: () => "Kommentare in Klammern sind nicht erlaubt.",

  domain_empty: () => "Die Domain nach dem @ fehlt.",
  domain_too_long: () => "Die Domain ist länger als 255 Oktette.",
  domain_white_space: () => "Die Domain enthält Leerraum.",
  domain_character: (what) =>
    `Die Domain enthält ${what}; nur Buchstaben, Ziffern, Bindestriche und Punkte sind erlaubt.`,
  domain_leading_dot: () => "Die Domain beginnt mit einem Punkt.",
  domain_trailing_dot: () => "Die Domain endet mit einem Punkt.",
  domain_double_dot: () => "Die Domain enthält zwei Punkte hintereinander.",
  domain_single_label: (what) =>
    `Die Domain ${what} hat keinen Punkt; eine Domain im Internet hat mindestens zwei Teile.`,
  domain_not_idna: (what) => `${what} ist kein gültiger internationalisierter Domainname.`,
  label_too_long: (what) => `Der Teil ${what} der Domain ist länger als 63 Oktette.`,
  label_hyphen: (what) => `Der Teil ${what} der Domain beginnt oder endet mit einem Bindestrich.`,
  tld_numeric: (what) => `Keine Domain endet auf Ziffern wie ${what}.`,
  tld_not_alphabetic: (what) =>
    `${what} kann keine Top-Level-Domain sein; diese haben zwei oder mehr Buchstaben.`,
  ip_without_brackets: (what) => `${what} ist eine IP-Adresse und keine Domain.`,
  literal_malformed: () => "Die Klammern enthalten keine gültige IP-Adresse.",

  address_too_long: () => "Die ganze Adresse ist länger als 254 Oktette.",
};

export function syntaxErrorText(error: AddressSyntaxError | undefined): string {
  const what = error && offendingText(error);
  if (what === undefined) return MALFORMED;
  const quoted = what.replace(/^“(.*)”$/s, "„$1“");
  return SYNTAX_ERRORS[error!.rule](what === "a space" ? "ein Leerzeichen" : quoted);
}

/** Dative. */
const KINDS: Readonly<Record<string, string>> = {
  letters: "Buchstaben",
  digits: "Ziffern",
  dots: "Punkten",
  hyphens: "Bindestrichen",
  underscores: "Unterstrichen",
};

/** The sentences of address/provider-rules.ts. */
function providerText(english = ""): string {
  const [, brand, kinds] = /^(.+) names have only (.+)$/.exec(english) ?? [];
  if (brand && kinds) {
    const german = kinds.split(/, | and /).map((kind) => KINDS[kind] ?? kind);
    return `Namen bei ${brandName(brand)} bestehen nur aus ${german.slice(0, -1).join(", ")} und ${german.at(-1)}.`;
  }
  const [, named, min, max] = /^(.+) names have (\d+) to (\d+) letters and digits/.exec(english) ?? [];
  if (named) {
    return `Namen bei ${brandName(named)} haben ${min} bis ${max} Buchstaben und Ziffern; Punkte zählen nicht.`;
  }
  return "Der Anbieter vergibt diesen Postfachnamen nicht.";
}

const brandName = (brand: string) => brand.replace(" and ", " und ");

/** The phrases of address/special-use-domains.ts, after the name. */
const SPECIAL_USES: Readonly<Record<string, string>> = {
  "is reserved for testing": "ist für Tests reserviert",
  "is reserved for documentation": "ist für Dokumentation reserviert",
  "is reserved and never exists": "ist reserviert und existiert nie",
  "always refers to the local machine": "bezeichnet immer den eigenen Rechner",
  "is for devices on a local network (RFC 6762)": "ist für Geräte in einem lokalen Netz (RFC 6762)",
  "exists inside Tor only (RFC 7686)": "existiert nur innerhalb von Tor (RFC 7686)",
  "is for naming systems outside DNS (RFC 9476)": "ist für Namenssysteme außerhalb des DNS (RFC 9476)",
  "is reserved for private networks": "ist für private Netze reserviert",
  "is for the Internet's own infrastructure": "ist für die Infrastruktur des Internets",
  "is used by private networks and not by the Internet":
    "wird von privaten Netzen verwendet, nicht im Internet",
  "is a placeholder and not on the Internet": "ist ein Platzhalter und nicht im Internet",
};

function specialUseText(english = ""): string {
  if (english === "the domain is an IP address") return "Die Domain ist eine IP-Adresse";
  const space = english.indexOf(" ");
  const phrase = SPECIAL_USES[english.slice(space + 1)];
  return phrase === undefined ? "Der Name ist reserviert" : `${english.slice(0, space)} ${phrase}`;
}
