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

  invitation: (to: string, link: string): OutgoingEmail => ({
    to,
    subject: "Your Mailvet account",
    text: paragraphs(
      "An account was opened for you at Mailvet.",
      `Choose a password to activate it. This link works once and expires in 7 days:\n${link}`,
      IGNORE,
    ),
  }),

  confirmNewEmail: (to: string, link: string): OutgoingEmail => ({
    to,
    subject: "Confirm your new email for Mailvet",
    text: paragraphs(
      `Confirm that this is the new email of your Mailvet account. This link works once and expires in 24 hours:\n${link}`,
      IGNORE,
    ),
  }),

  /** To the old address and to the new one. */
  emailChanged: (to: string, newEmail: string): OutgoingEmail => ({
    to,
    subject: "The email of your Mailvet account was changed",
    text: paragraphs(
      `The email of your Mailvet account is now ${newEmail}. Use it to sign in.`,
      "If you didn't expect this, contact your administrator.",
    ),
  }),

  accountSuspended: (to: string, reason: string): OutgoingEmail => ({
    to,
    subject: "Your Mailvet account is suspended",
    text: paragraphs(
      `Your Mailvet account is suspended: ${reason}`,
      "Sign-in and API keys are refused, running jobs are paused, and webhooks are held. Nothing is deleted. Contact your administrator to have it resumed.",
    ),
  }),

  accountResumed: (to: string, signIn: string): OutgoingEmail => ({
    to,
    subject: "Your Mailvet account is active again",
    text: paragraphs(
      `Your Mailvet account is no longer suspended. Jobs that the suspension paused continue.\n${signIn}`,
    ),
  }),

  accountErased: (to: string): OutgoingEmail => ({
    to,
    subject: "Your Mailvet account was deleted",
    text: paragraphs("Your Mailvet account and all its data were deleted."),
  }),

  passkeyAdded: (to: string, name: string, settings: string): OutgoingEmail => ({
    to,
    subject: "A passkey was added to your Mailvet account",
    text: paragraphs(
      `The passkey "${oneLine(name)}" can now sign in to your Mailvet account.`,
      `If this wasn't you, remove it and change your password now:\n${settings}`,
    ),
  }),

  passkeyRemoved: (to: string, name: string, settings: string): OutgoingEmail => ({
    to,
    subject: "A passkey was removed from your Mailvet account",
    text: paragraphs(
      `The passkey "${oneLine(name)}" no longer signs in to your Mailvet account, and all other sessions were ended.`,
      `If this wasn't you, change your password now:\n${settings}`,
    ),
  }),

  /** With what has become of the account's passkeys, which are independent of the password. */
  passwordChanged: (
    to: string,
    signIn: string,
    passkeys: { left: number; removed: number; settings: string },
  ): OutgoingEmail => ({
    to,
    subject: "Your Mailvet password was changed",
    text: paragraphs(
      "The password of your Mailvet account was changed.",
      ...(passkeys.removed > 0 ? ["All passkeys of the account were removed."] : []),
      ...(passkeys.left > 0
        ? [
            `The account has passkeys (${passkeys.left}), which still sign in. Remove those you don't recognise:\n${passkeys.settings}`,
          ]
        : []),
      `If this wasn't you, reset your password now:\n${signIn}`,
    ),
  }),
};

/** A name that a user chose cannot add lines to a message. */
function oneLine(name: string): string {
  return name.replace(/[\p{C}\p{Z}]+/gu, " ");
}

function paragraphs(...all: string[]): string {
  return `${all.join("\n\n")}\n`;
}
