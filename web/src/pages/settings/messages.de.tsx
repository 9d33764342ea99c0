/** German texts of the settings page. */
import { plural } from "../../components/number-format.ts";
import { common } from "../../messages.de.ts";
import type { Translation } from "../../translation.ts";
import type * as english from "./messages.tsx";

export const messages: Translation<typeof english.messages> = {
  title: "Einstellungen",
  intro: "Profil, Sprache, Passwort, Passkeys, Sitzungen und Ihre Daten.",

  profile: {
    title: "Profil",
    created: "Konto erstellt",
    credits: "Guthaben",
    balance: (balance, reserved) =>
      `${common.credits(balance)} verfügbar${reserved > 0 ? `, ${common.reservedForJobs(reserved)}` : ""}`,
    plan: "Tarif",
    limits: "Limits des Tarifs",
    administrator: "Ihr Administrator ändert Tarife und vergibt Credits.",
  },

  language: {
    intro: "Sprache der Web-App und der Begründungen in diesem Browser.",
    auto: "Sprache des Browsers",
  },

  password: {
    title: "Passwort",
    intro: "Wenn Sie Ihr Passwort ändern, werden alle anderen Sitzungen abgemeldet.",
    changed: "Passwort geändert",
    changedText: "Alle anderen Sitzungen wurden abgemeldet.",
    current: "Aktuelles Passwort",
    currentToggle: "Aktuelles Passwort ein- oder ausblenden",
    new: "Neues Passwort",
    wrong: "Falsches Passwort.",
    submit: "Passwort ändern",
  },

  twoFactor: {
    title: "Zwei-Faktor-Anmeldung",
    intro: "Bei der Anmeldung wird zusätzlich zum Passwort ein Code Ihrer Authenticator-App abgefragt.",
    required:
      "Betreiber dieser Installation müssen sie aktivieren oder einen Passkey hinzufügen, bevor sie die Betreiberseiten nutzen können.",
    password: "Ihr Passwort",
    passwordToggle: "Ihr Passwort ein- oder ausblenden",
    setUp: "Einrichten",
    scan: "Scannen Sie diesen QR-Code mit Ihrer Authenticator-App.",
    qrCode: "QR-Code für Ihre Authenticator-App",
    type: "Oder geben Sie dieses Geheimnis in die App ein. Es wird nur jetzt angezeigt.",
    secretLabel: "Geheimnis",
    enable: "Aktivieren",
    enabled: (left) =>
      `Aktiviert. Noch ${plural(left, "Wiederherstellungscode", "Wiederherstellungscodes")} übrig.`,
    change:
      "Für neue Wiederherstellungscodes, die die bisherigen ersetzen, oder zum Deaktivieren geben Sie Ihr Passwort und einen Code ein.",
    replaceCodes: "Neue Wiederherstellungscodes",
    disable: "Deaktivieren",
    codesTitle: "Wiederherstellungscodes",
    codesLabel: "Wiederherstellungscodes",
    codesText:
      "Speichern Sie diese Codes jetzt, sie werden nur einmal angezeigt. Mit jedem können Sie sich einmal anmelden, falls Sie Ihre Authenticator-App verlieren.",
  },

  passkeys: {
    title: "Passkeys",
    intro:
      "Melden Sie sich mit Ihrem Gerät oder einem Sicherheitsschlüssel an statt mit Passwort und Code. Ihr Passwort bleibt gültig.",
    unavailable: "Passkeys sind nur unter einer https-Adresse mit Domainnamen möglich, nicht unter dieser.",
    none: "Noch keine Passkeys.",
    add: "Passkey hinzufügen",
    name: "Name",
    nameHint: "Welches Gerät oder welcher Sicherheitsschlüssel ist es?",
    nameMissing: "Geben Sie einen Namen ein.",
    passwordMissing: "Geben Sie Ihr Passwort ein.",
    usePasskey: "Stattdessen einen Passkey verwenden",
    details: (createdAt, lastUsedAt) => (
      <>
        Erstellt {createdAt}, {lastUsedAt ? <>zuletzt verwendet {lastUsedAt}</> : "nie verwendet"}
      </>
    ),
    rename: "Umbenennen",
    renameNamed: (name) => `${name} umbenennen`,
    renameTitle: "Passkey umbenennen",
    remove: "Entfernen",
    removeNamed: (name) => `${name} entfernen`,
    removeTitle: "Diesen Passkey entfernen?",
    removeText: (name) =>
      `Mit „${name}“ ist dann keine Anmeldung mehr möglich, und alle anderen Sitzungen werden abgemeldet.`,
    removeSubmit: "Passkey entfernen",
  },

  sessions: {
    title: "Aktive Sitzungen",
    intro:
      "Eine Sitzung endet nach 30 Tagen, oder wenn sie 7 Tage lang nicht genutzt wurde. Melden Sie Sitzungen ab, die Sie nicht kennen, und ändern Sie dann Ihr Passwort.",
    current: "Dieser Browser",
    details: (ip, createdAt, lastUsedAt) => (
      <>
        {ip}, angemeldet {createdAt}, zuletzt genutzt {lastUsedAt}
      </>
    ),
    signOut: "Abmelden",
    signOutHere: "In diesem Browser abmelden",
    signOutOf: (browser, ip) => `${browser} abmelden, ${ip}`,
    confirmHere: "In diesem Browser abmelden?",
    confirm: "Diese Sitzung abmelden?",
    text: (browser, ip) => `${browser} (${ip}) muss sich dann erneut anmelden.`,
    textHere: "Sie müssen sich dann erneut anmelden.",
  },

  browser: {
    on: (browser, system) => `${browser} unter ${system}`,
    unknown: "Unbekannter Client",
  },

  notifications: {
    title: "Benachrichtigungen",
    intro: "E-Mails gehen an die Adresse Ihres Kontos.",
    noMail:
      "Auf dieser Installation ist kein E-Mail-Versand eingerichtet. Browser-Benachrichtigungen funktionieren trotzdem.",
    jobs: "E-Mail senden, wenn ein Auftrag abgeschlossen oder fehlgeschlagen ist oder Guthaben braucht, und wenn sich eine gespeicherte Liste geändert hat",
    threshold: "E-Mail senden, wenn das Guthaben unter diesen Wert fällt",
    thresholdHint: "Leer lassen, um keine E-Mail zu erhalten.",
    allowBrowser: "Browser-Benachrichtigungen erlauben",
    browser: {
      granted:
        "Während Mailvet im Hintergrund geöffnet ist, benachrichtigt Sie dieser Browser, wenn ein Auftrag endet, sich eine gespeicherte Liste ändert oder ein Lauf Guthaben braucht.",
      denied:
        "Benachrichtigungen sind in diesem Browser blockiert. Erlauben Sie sie in seinen Einstellungen für diese Website.",
    },
  },

  data: {
    title: "Ihre Daten",
    intro:
      "Laden Sie alles, was Ihr Konto enthält, als ZIP-Datei herunter: Aufträge mit Ergebnissen, Uploads, gespeicherte Listen, Schlüssel ohne ihre Geheimnisse, Webhooks mit ihren Zustellungen, Sitzungen, Audit-Log, Buchungen und Nutzung.",
    export: "Exportieren",
    exportPrepared: "Die Datei wird vorbereitet. Der Download beginnt auf dieser Seite.",
    exportStarted: "Der Download hat begonnen.",
    close: "Konto schließen",
    closeText: "Löscht Ihr Konto mit allen Aufträgen, Dateien, Ergebnissen, Schlüsseln und Credits.",
    closeTitle: "Ihr Konto schließen?",
    closeWarning:
      "Alles wird sofort gelöscht und kann nicht wiederhergestellt werden: Aufträge, Dateien, Ergebnisse, API-Schlüssel, Webhooks und verbleibende Credits. Exportieren Sie zuerst, was Sie behalten möchten.",
    closeConfirm: "Konto endgültig schließen",
  },

  retention: {
    title: "Aufbewahrung",
    intro: (link) => (
      <>Dateien und Ergebnisse gehören Ihnen. Löschen Sie unter {link} einen Auftrag, um sie zu löschen.</>
    ),
    bulk: "Massenprüfung",
    unknownDays: "Mehrere Tage",
    rows: (resultDays) => [
      [
        "Hochgeladene Dateien",
        "Ein Tag, wenn nicht gestartet",
        "Ein gestarteter Upload wird zum Auftrag und mit dessen Ergebnissen aufbewahrt.",
      ],
      [
        "Ergebnisse von Aufträgen",
        `${resultDays} nach dem Ende des Auftrags`,
        "Jeder Auftrag zeigt sein Datum. Wenn Sie einen Auftrag löschen, werden Zeilen und Ergebnisse sofort gelöscht.",
      ],
      [
        "Zwischengespeicherte Ergebnisse",
        "Eine Stunde bis drei Tage, je nach Bewertung; 30 weitere Tage, um sie Ihren Bounce-Meldungen zuzuordnen",
        "Macht wiederholte Prüfungen schnell. Nie für andere Konten verwendet. Adressen werden als Hash gespeichert.",
      ],
      [
        "Bounce-Meldungen",
        "180 Tage; Beschwerden und zusammengefasste Statistiken so lange wie das Konto",
        "Adressen werden als Hash gespeichert. „Alle Meldungen löschen“ auf der Seite Nutzung löscht sie sofort.",
      ],
      ["Webhook-Zustellungen", "30 Tage", "Wenn Sie einen Endpunkt löschen, werden sie sofort gelöscht."],
      [
        "Widerrufene Schlüssel",
        "90 Tage aufgeführt",
        "Das Geheimnis eines Schlüssels wird nie gespeichert, nur sein Hash.",
      ],
      ["Credits und Nutzung", "So lange wie das Konto", "Anzahl pro Tag und Schlüssel, ohne Adressen."],
    ],
  },
};
