/** The mails we write, as plain text. Short: people read the first line and press the link. */
import type { OutgoingEmail } from "./mailer.ts";

const REASSURANCE = "If you did not ask for this, you need not do anything.";

export const emailTemplates = {
  confirmEmail: (to: string, link: string): OutgoingEmail => ({
    to,
    subject: "Confirm your email for Mailvet",
    text: paragraphs(
      "Somebody, most likely you, has opened a Mailvet account with this address.",
      `Confirm it within a day by opening this page:\n${link}`,
      `${REASSURANCE} Without it the account stays closed.`,
    ),
  }),

  /** Signed up again before confirming: which of the two passwords is the owner's, only the owner can say. */
  choosePassword: (to: string, link: string): OutgoingEmail => ({
    to,
    subject: "Choose a password for Mailvet",
    text: paragraphs(
      "Somebody, most likely you, has signed up for Mailvet with this address more than once.",
      `To be safe, none of these passwords counts. Choose yours within half an hour on this page:\n${link}`,
      `${REASSURANCE} Without it the account stays closed.`,
    ),
  }),

  alreadyThere: (to: string, signIn: string): OutgoingEmail => ({
    to,
    subject: "You have a Mailvet account already",
    text: paragraphs(
      "Somebody, most likely you, wanted to open a Mailvet account with this address. There is one already.",
      `Sign in here, or choose a new password if you have forgotten yours:\n${signIn}`,
      REASSURANCE,
    ),
  }),

  resetPassword: (to: string, link: string): OutgoingEmail => ({
    to,
    subject: "Choose a new password for Mailvet",
    text: paragraphs(
      `You can choose a new password within half an hour on this page:\n${link}`,
      "The link works once. All browsers that are signed in will have to sign in again.",
      REASSURANCE,
    ),
  }),

  passwordChanged: (to: string, signIn: string): OutgoingEmail => ({
    to,
    subject: "Your Mailvet password was changed",
    text: paragraphs(
      "The password of your Mailvet account has just been changed.",
      `If it was not you, choose a new one at once:\n${signIn}`,
    ),
  }),
};

function paragraphs(...all: string[]): string {
  return `${all.join("\n\n")}\n`;
}
