/** German texts of the pages around sign-in: sign-up, email confirmation, password reset. */
import { plural } from "../../components/number-format.ts";
import type { Translation } from "../../translation.ts";
import type * as english from "./messages.tsx";

const CHECK_INBOX = "Prüfen Sie Ihren Posteingang";
const CHECK_SPAM = "Nach einigen Minuten nichts angekommen? Sehen Sie im Spam-Ordner nach.";

export const messages: Translation<typeof english.messages> = {
  email: "E-Mail",
  password: "Passwort",
  newPassword: "Neues Passwort",
  passwordHint: (minLength) => `Mindestens ${minLength} Zeichen.`,
  passwordTooShort: (missing) =>
    `Zu kurz: Es ${missing === 1 ? "fehlt" : "fehlen"} ${plural(missing, "Zeichen", "Zeichen")}.`,
  revokeKeys: "Auch alle API-Schlüssel widerrufen",
  removePasskeys: "Auch alle Passkeys entfernen",
  togglePassword: "Passwort ein- oder ausblenden",
  tooManyAttempts: "Zu viele Versuche",
  waitText: (duration, until) => `Versuchen Sie es in ${duration} noch einmal, um ${until}.`,
  waitUnknown: "Versuchen Sie es später noch einmal.",
  backToSignIn: "Zurück zur Anmeldung",
  checkInbox: CHECK_INBOX,
  linkExpired: "Link abgelaufen",

  signIn: {
    title: "Anmelden",
    toContinue: "Melden Sie sich an, um fortzufahren.",
    submit: "Anmelden",
    wrong: "E-Mail-Adresse oder Passwort ist falsch, oder die Adresse ist noch nicht bestätigt.",
    withPasskey: "Mit einem Passkey anmelden",
    forgot: "Passwort vergessen?",
    invitationOnly: "Bitten Sie Ihren Administrator um ein Konto.",
    codeTitle: "Zwei-Faktor-Anmeldung",
    codeIntro: "Geben Sie den Code Ihrer Authenticator-App oder einen Wiederherstellungscode ein.",
    wrongCode: "Der Code ist falsch oder wurde bereits verwendet.",
    noAccount: (link) => <>Noch kein Konto? {link}</>,
    signUp: "Registrieren",
  },

  signUp: {
    title: "Konto erstellen",
    intro: "Mit Web-App. Der API-Zugang hängt von Ihrem Tarif ab.",
    submit: "Konto erstellen",
    hasAccount: (link) => <>Sie haben bereits ein Konto? {link}</>,
    signIn: "Anmelden",
    taken: (link) => <>Für diese E-Mail-Adresse gibt es bereits ein Konto. {link}</>,
    signInInstead: "Stattdessen anmelden",
    noEmail: "Geben Sie eine E-Mail-Adresse ein.",
    closed: "Die Registrierung ist geschlossen",
    closedText: "Bitten Sie Ihren Administrator um ein Konto.",
    introOfDomains: "Nur Adressen bestimmter Domains können sich registrieren.",
    introOfApproval: "Neue Konten werden vor der ersten Nutzung von einem Administrator freigegeben.",
    waiting: "Wartet auf Freigabe",
    waitingText: "Ihr Konto ist angelegt. Ein Administrator gibt es vor der ersten Nutzung frei.",
    sent: (email) => (
      <>
        Wir haben eine E-Mail an {email} gesendet. Öffnen Sie den Link darin innerhalb von 24 Stunden, um Ihr
        Konto zu aktivieren.
      </>
    ),
    checkSpam:
      "Nach einigen Minuten nichts angekommen? Sehen Sie im Spam-Ordner nach, oder registrieren Sie sich erneut mit der richtigen Adresse.",
    confirmed: (link) => <>Bereits bestätigt? {link}</>,
  },

  confirm: {
    title: "E-Mail-Adresse wird bestätigt",
    done: "E-Mail-Adresse bestätigt",
    doneText: (email) => <>Das Konto {email} ist bereit, und Sie sind angemeldet.</>,
    overview: "Zur Übersicht",
    signIn: "Anmelden",
    expiredText:
      "Der Link funktioniert einmal, innerhalb von 24 Stunden. Wenn Sie ihn schon geöffnet haben, ist Ihre Adresse bestätigt.",
    again: (link) => <>Noch nicht bestätigt? {link}, um einen neuen Link zu erhalten.</>,
    signUpAgain: "Erneut registrieren",
  },

  forgot: {
    title: "Passwort vergessen?",
    otherEmail: "Andere E-Mail-Adresse verwenden",
    byMail: {
      intro:
        "Geben Sie die E-Mail-Adresse Ihres Kontos ein. Wir senden Ihnen einen Link, mit dem Sie ein neues Passwort festlegen.",
      submit: "Link senden",
      doneTitle: CHECK_INBOX,
      done: (email) => (
        <>
          Wenn es ein Konto für {email} gibt, haben wir einen Link dorthin gesendet. Er funktioniert einmal
          und läuft in 30 Minuten ab.
        </>
      ),
      hint: CHECK_SPAM,
    },
    byAdministrator: {
      intro:
        "Diese Installation versendet keine E-Mails. Geben Sie die E-Mail-Adresse Ihres Kontos ein, und bitten Sie dann Ihren Administrator um den Link.",
      submit: "Link anfordern",
      doneTitle: "Wenden Sie sich an Ihren Administrator",
      done: (email) => (
        <>
          Wenn es ein Konto für {email} gibt, steht in der Ausgabe des Dienstes ein Link, mit dem Sie ein
          neues Passwort festlegen. Er funktioniert einmal.
        </>
      ),
      hint: "Nur Ihr Administrator kann ihn lesen. Der Link läuft in 30 Minuten ab.",
    },
  },

  reset: {
    title: "Neues Passwort festlegen",
    intro: "Alle Sitzungen Ihres Kontos werden abgemeldet.",
    submit: "Passwort speichern",
    done: "Passwort geändert",
    doneText: "Melden Sie sich mit Ihrem neuen Passwort an.",
    signIn: "Anmelden",
    expiredText:
      "Ein Link funktioniert einmal, innerhalb von 30 Minuten. Vielleicht wurde er schon verwendet oder durch einen neueren ersetzt.",
    newLink: "Neuen Link anfordern",
  },

  invitation: {
    title: "Passwort festlegen",
    intro: "Für Sie wurde ein Konto eröffnet. Legen Sie ein Passwort fest, um es zu aktivieren.",
    submit: "Konto aktivieren",
    done: "Konto aktiviert",
    doneText: "Melden Sie sich mit Ihrer E-Mail-Adresse und Ihrem neuen Passwort an.",
    expiredText:
      "Eine Einladung funktioniert einmal, innerhalb von 7 Tagen. Wenn Sie sie schon verwendet haben, melden Sie sich an; sonst bitten Sie Ihren Administrator um eine neue.",
    signIn: "Anmelden",
  },

  newEmail: {
    title: "Neue E-Mail-Adresse wird bestätigt",
    done: "E-Mail-Adresse geändert",
    doneText: "Melden Sie sich ab jetzt mit Ihrer neuen E-Mail-Adresse an.",
    expiredText:
      "Der Link funktioniert einmal, innerhalb von 24 Stunden. Wenn Sie ihn schon geöffnet haben, ist Ihre Adresse geändert; sonst bitten Sie Ihren Administrator um einen neuen.",
  },

  suspended: {
    title: "Konto gesperrt",
    text: "Dieses Konto ist gesperrt.",
    help: "Aufträge sind angehalten, nichts wird gelöscht. Bitten Sie Ihren Administrator, das Konto wieder freizugeben.",
    check: "Erneut prüfen",
    signOut: "Abmelden",
  },
};
