/** German texts of the API keys page, and those that it shares with the operator keys. */
import type { Translation } from "../../translation.ts";
import type * as english from "./messages.tsx";

export const messages: Translation<typeof english.messages> = {
  title: "API-Schlüssel",
  intro: (header) => (
    <>
      Senden Sie Ihren Schlüssel im Header {header}. Verwenden Sie für jede Anwendung einen eigenen Schlüssel,
      dann können Sie einen widerrufen, ohne die anderen zu beeinträchtigen.
    </>
  ),
  planRequired: "Live-Schlüssel brauchen einen kostenpflichtigen Tarif",
  planRequiredText:
    "Ihr Tarif enthält die Web-App und Testschlüssel. Live-Schlüssel können Sie schon erstellen; sie funktionieren, sobald Sie einen kostenpflichtigen Tarif haben. Wenden Sie sich an Ihren Administrator.",
  none: "Noch keine Schlüssel",
  noneText:
    "Erstellen Sie einen Schlüssel, um Mailvet aus Ihren Anwendungen zu nutzen, oder einen Testschlüssel, um es ohne Credits auszuprobieren.",
  usage: "Schlüssel verwenden",
  usageText: "Ersetzen Sie YOUR_KEY durch Ihren vollständigen Schlüssel.",
  usageTextNoKey: "Erstellen Sie einen Schlüssel, und ersetzen Sie YOUR_KEY durch ihn.",
  language: "Programmiersprache",
  setUp: (language) => `Einrichtung für ${language}`,
  example: (language) => `Beispiel für ${language}`,

  namePlaceholder: "Newsletter-Anmeldung",
  mode: "Modus",
  scopesColumn: "Rechte",
  created: "Schlüssel erstellt",

  modes: {
    live: ["Live", "Kontaktiert echte Mailserver. Ein Credit pro Adresse."],
    test: ["Test", "Simulierte Ergebnisse aus der Sandbox. Kostenlos; die Adresse bestimmt die Bewertung."],
  },
  scopes: {
    validate: ["Prüfen", "Einzelne Adressen prüfen und Bounces melden."],
    bulk: [
      "Listen",
      "Bis zu 1.000 Adressen pro Anfrage prüfen, Dateien hochladen, Aufträge und Webhooks verwalten, Meldungen löschen.",
    ],
    read: ["Lesen", "Aufträge und Ergebnisse, Nutzung, Credits, Webhooks und Bounce-Meldungen ansehen."],
  },
};

export const keyTexts: Translation<typeof english.keyTexts> = {
  create: "Schlüssel erstellen",
  columns: {
    name: "Name",
    prefix: "Schlüssel",
    lastUsed: "Zuletzt verwendet",
    created: "Erstellt",
    expires: "Läuft ab",
  },
  never: "Nie",
  revoked: "Widerrufen",
  expired: "Abgelaufen",

  form: {
    name: "Name",
    nameHint: "Wofür wird der Schlüssel verwendet?",
    nameMissing: "Geben Sie einen Namen ein.",
    scopes: "Rechte",
    scopesHint: "Erteilen Sie nur, was nötig ist.",
    scopesMissing: "Wählen Sie mindestens ein Recht aus.",
    expires: "Läuft ab",
    expiry: {
      never: "Nie",
      "30": "In 30 Tagen",
      "90": "In 90 Tagen",
      "365": "In einem Jahr",
      date: "An einem Datum",
    },
    lastDay: "Letzter Tag",
    dateMissing: "Wählen Sie ein Datum aus.",
    datePast: "Dieses Datum liegt in der Vergangenheit.",
  },
  created: {
    label: "Schlüssel",
    text: (name) => (
      <>Das ist der Schlüssel für {name}. Bewahren Sie ihn sicher auf. Er wird nicht noch einmal angezeigt.</>
    ),
  },
  revoke: {
    button: "Widerrufen",
    title: "Diesen Schlüssel widerrufen?",
    confirm: "Schlüssel widerrufen",
    cancel: "Schlüssel behalten",
    text: (name, prefix) => (
      <>
        Anfragen mit {name} ({prefix}…) werden innerhalb einer Sekunde abgelehnt. Das lässt sich nicht
        rückgängig machen.
      </>
    ),
  },
};
