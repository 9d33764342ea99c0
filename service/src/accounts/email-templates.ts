/** Emails to account owners, as plain text. Short: people read the first line and click the link. */
import type { OutgoingEmail } from "./mailer.ts";

const IGNORE = "If you didn't request this, you can ignore this email.";

export const emailTemplates = {
  confirmEmail: (to: string, link: string): OutgoingEmail => ({
    to,
    subject: "Confirm your email for Mailvet",
    text: paragraphs(
      "Thanks for signing up for Mailvet.",
      `Confirm your email to activate your account. This link expires in 24 hours:\n${link}`,
      IGNORE,
    ),
  }),

  /** Signed up again before confirming: only the owner of the mailbox knows which password is theirs. */
  choosePassword: (to: string, link: string): OutgoingEmail => ({
    to,
    subject: "Choose a password for Mailvet",
    text: paragraphs(
      "This email was used to sign up for Mailvet more than once.",
      `For your security, choose a new password to activate your account. This link expires in 30 minutes:\n${link}`,
      IGNORE,
    ),
  }),

  accountExists: (to: string, signIn: string): OutgoingEmail => ({
    to,
    subject: "You already have a Mailvet account",
    text: paragraphs(
      "This email was used to sign up for Mailvet, but it already has an account.",
      `Sign in, or reset your password if you forgot it:\n${signIn}`,
      IGNORE,
    ),
  }),

  resetPassword: (to: string, link: string): OutgoingEmail => ({
    to,
    subject: "Reset your Mailvet password",
    text: paragraphs(
      `Choose a new password. This link works once and expires in 30 minutes:\n${link}`,
      "You will be signed out of all browsers.",
      IGNORE,
    ),
  }),

  wrongPasswords: (to: string, resetPassword: string): OutgoingEmail => ({
    to,
    subject: "Many failed sign-ins to your Mailvet account",
    text: paragraphs(
      "Many wrong passwords were tried for your Mailvet account today. None of them was accepted.",
      "Browsers and networks that you have signed in from before are not locked out by this.",
      `If your password is short or used elsewhere, choose a new one:\n${resetPassword}`,
    ),
  }),

  passwordChanged: (to: string, signIn: string): OutgoingEmail => ({
    to,
    subject: "Your Mailvet password was changed",
    text: paragraphs(
      "The password of your Mailvet account was changed.",
      `If this wasn't you, reset your password now:\n${signIn}`,
    ),
  }),
};

function paragraphs(...all: string[]): string {
  return `${all.join("\n\n")}\n`;
}
