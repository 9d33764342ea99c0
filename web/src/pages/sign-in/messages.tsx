/** Texts of the pages around sign-in: sign-up, email confirmation, password reset. */
import type { ReactNode } from "react";
import { plural } from "../../components/number-format.ts";

const CHECK_INBOX = "Check your inbox";
const CHECK_SPAM = "Nothing after a few minutes? Check your spam folder.";

export const messages = {
  email: "Email",
  password: "Password",
  newPassword: "New password",
  passwordHint: (minLength: number) => `At least ${minLength} characters.`,
  passwordTooShort: (missing: number) => `Too short: ${plural(missing, "more character")} needed.`,
  revokeKeys: "Also revoke all API keys",
  removePasskeys: "Also remove all passkeys",
  togglePassword: "Toggle password visibility",
  tooManyAttempts: "Too many attempts",
  waitText: (duration: string, until: string) => `Try again in ${duration}, at ${until}.`,
  waitUnknown: "Try again later.",
  backToSignIn: "Back to sign in",
  checkInbox: CHECK_INBOX,
  linkExpired: "Link expired",

  signIn: {
    title: "Sign in",
    toContinue: "Sign in to continue.",
    submit: "Sign in",
    wrong: "Wrong email or password, or the email isn't confirmed yet.",
    withPasskey: "Sign in with a passkey",
    forgot: "Forgot password?",
    invitationOnly: "Ask your administrator for an account.",
    codeTitle: "Two-factor sign-in",
    codeIntro: "Enter the code of your authenticator app, or a recovery code.",
    wrongCode: "The code is incorrect or was used already.",
    noAccount: (link: ReactNode) => <>No account yet? {link}</>,
    signUp: "Sign up",
  },

  signUp: {
    title: "Create account",
    intro: "Web app included. API access depends on your plan.",
    submit: "Create account",
    hasAccount: (link: ReactNode) => <>Already have an account? {link}</>,
    signIn: "Sign in",
    taken: (link: ReactNode) => <>An account with this email already exists. {link}</>,
    signInInstead: "Sign in instead",
    noEmail: "Enter an email address.",
    closed: "Sign-up is closed",
    closedText: "Ask your administrator for an account.",
    introOfDomains: "Only addresses at certain domains can sign up.",
    introOfApproval: "An administrator approves new accounts before their first use.",
    waiting: "Waiting for approval",
    waitingText: "Your account is created. An administrator approves it before its first use.",
    sent: (email: ReactNode) => (
      <>We sent an email to {email}. Open its link within 24 hours to activate your account.</>
    ),
    checkSpam:
      "Nothing after a few minutes? Check your spam folder, or sign up again with the correct address.",
    confirmed: (link: ReactNode) => <>Already confirmed? {link}</>,
  },

  confirm: {
    title: "Confirming your email",
    done: "Email confirmed",
    doneText: (email: ReactNode) => <>The account {email} is ready, and you are signed in.</>,
    overview: "Go to Overview",
    signIn: "Sign in",
    expiredText: "The link works once, within 24 hours. If you opened it before, your email is confirmed.",
    again: (link: ReactNode) => <>Not confirmed yet? {link} for a new link.</>,
    signUpAgain: "Sign up again",
  },

  forgot: {
    title: "Forgot password?",
    otherEmail: "Use another email",
    byMail: {
      intro: "Enter your account's email and we'll send you a link to choose a new password.",
      submit: "Send link",
      doneTitle: CHECK_INBOX,
      done: (email: ReactNode) => (
        <>
          If there is an account for {email}, we sent it a link. The link works once and expires in 30
          minutes.
        </>
      ),
      hint: CHECK_SPAM,
    },
    /** Without outgoing mail the service prints the link to its output. */
    byAdministrator: {
      intro:
        "This installation doesn't send email. Enter your account's email, then ask your administrator for the link.",
      submit: "Request link",
      doneTitle: "Ask your administrator",
      done: (email: ReactNode) => (
        <>
          If there is an account for {email}, a link to choose a new password was written to the service's
          output. The link works once.
        </>
      ),
      hint: "Only your administrator can read it. The link expires in 30 minutes.",
    },
  },

  reset: {
    title: "Choose a new password",
    intro: "All sessions of your account will be signed out.",
    submit: "Save password",
    done: "Password changed",
    doneText: "Sign in with your new password.",
    signIn: "Sign in",
    expiredText: "A link works once, within 30 minutes. It may have been used, or replaced by a newer one.",
    newLink: "Request new link",
  },

  invitation: {
    title: "Choose a password",
    intro: "An account was opened for you. Choose a password to activate it.",
    submit: "Activate account",
    done: "Account activated",
    doneText: "Sign in with your email and your new password.",
    expiredText:
      "An invitation works once, within 7 days. If you used it before, sign in; otherwise ask your administrator for a new one.",
    signIn: "Sign in",
  },

  newEmail: {
    title: "Confirming your new email",
    done: "Email changed",
    doneText: "Sign in with your new email from now on.",
    expiredText:
      "The link works once, within 24 hours. If you opened it before, your email is changed; otherwise ask your administrator for a new one.",
  },

  suspended: {
    title: "Account suspended",
    text: "This account is suspended.",
    help: "Jobs are paused and nothing is deleted. Ask your administrator to have the account resumed.",
    check: "Check again",
    signOut: "Sign out",
  },
};
