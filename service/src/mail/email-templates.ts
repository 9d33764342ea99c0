/**
 * The texts of all emails. Short: people read the first line and use the button. email-layout.ts makes plain text and HTML
 * of them.
 *
 * Those about an account are complete, with their recipient; those about jobs, lists and credits are stored until they are
 * sent (notifications.ts), to the email that the account has by then.
 */
import type { Job, ProviderState } from "@mailvet/contract";
import type { Refusal } from "../base/refusal.ts";
import { type EmailContent, type Paragraph, renderEmail } from "./email-layout.ts";
import type { OutgoingEmail } from "./mailer.ts";

const IGNORE = "If you didn't request this, you can ignore this email.";
const number = (value: number) => value.toLocaleString("en");

export const emailTemplates = {
  confirmEmail: (to: string, link: string) =>
    addressed(to, {
      subject: "Confirm your email for Mailvet",
      paragraphs: [
        "Thanks for signing up for Mailvet. Confirm your email to activate your account. The link expires in 24 hours.",
      ],
      button: { label: "Confirm email", url: link },
      notes: [IGNORE],
    }),

  /** Signed up again before confirming: only the owner of the mailbox knows which password is theirs. */
  choosePassword: (to: string, link: string) =>
    addressed(to, {
      subject: "Choose a password for Mailvet",
      paragraphs: [
        "This email was used to sign up for Mailvet more than once.",
        "For your security, choose a new password to activate your account. The link expires in 30 minutes.",
      ],
      button: { label: "Choose password", url: link },
      notes: [IGNORE],
    }),

  accountExists: (to: string, signIn: string) =>
    addressed(to, {
      subject: "You already have a Mailvet account",
      paragraphs: [
        "This email was used to sign up for Mailvet, but it already has an account. Sign in, or reset your password if you forgot it.",
      ],
      button: { label: "Sign in", url: signIn },
      notes: [IGNORE],
    }),

  resetPassword: (to: string, link: string) =>
    addressed(to, {
      subject: "Reset your Mailvet password",
      paragraphs: [
        "Choose a new password. The link works once and expires in 30 minutes. You will be signed out of all browsers.",
      ],
      button: { label: "Choose new password", url: link },
      notes: [IGNORE],
    }),

  wrongPasswords: (to: string, resetPassword: string) =>
    addressed(to, {
      subject: "Many failed sign-ins to your Mailvet account",
      paragraphs: [
        "Many wrong passwords were tried for your Mailvet account today. None of them was accepted.",
        "Browsers and networks that you have signed in from before are not locked out by this. If your password is short or used elsewhere, choose a new one.",
      ],
      button: { label: "Reset password", url: resetPassword },
    }),

  wrongCodes: (to: string, resetPassword: string) =>
    addressed(to, {
      subject: "Someone knows your Mailvet password",
      paragraphs: [
        "Someone knows your password: three wrong codes were entered for your Mailvet account, each after the right password. None of them was accepted.",
        "If this wasn't you, choose a new password now, and wherever else you use the old one. Codes can be tried less often from now on; a recovery code signs you in meanwhile.",
      ],
      button: { label: "Reset password", url: resetPassword },
    }),

  newNetwork: (to: string, { ip, at }: { ip: string; at: Date }, resetPassword: string) =>
    addressed(to, {
      subject: "New sign-in to your Mailvet account",
      paragraphs: [
        `Your Mailvet account was signed in to from ${ip}, a network that was not used before, on ${at.toUTCString()}.`,
        "If this wasn't you, reset your password now, which ends all sessions.",
      ],
      button: { label: "Reset password", url: resetPassword },
    }),

  invitation: (to: string, link: string) =>
    addressed(to, {
      subject: "Your Mailvet account",
      paragraphs: [
        "An account was opened for you at Mailvet. Choose a password to activate it. The link works once and expires in 7 days.",
      ],
      button: { label: "Choose password", url: link },
      notes: [IGNORE],
    }),

  confirmNewEmail: (to: string, link: string) =>
    addressed(to, {
      subject: "Confirm your new email for Mailvet",
      paragraphs: [
        "Confirm that this is the new email of your Mailvet account. The link works once and expires in 24 hours.",
      ],
      button: { label: "Confirm new email", url: link },
      notes: [IGNORE],
    }),

  /** To the old address and to the new one. */
  emailChanged: (to: string, newEmail: string) =>
    addressed(to, {
      subject: "The email of your Mailvet account was changed",
      paragraphs: [`The email of your Mailvet account is now ${oneLine(newEmail)}. Use it to sign in.`],
      notes: ["If you didn't expect this, contact your administrator."],
    }),

  accountSuspended: (to: string, reason: string) =>
    addressed(to, {
      subject: "Your Mailvet account is suspended",
      paragraphs: [
        `Your Mailvet account is suspended: ${oneLine(reason)}`,
        "Sign-in and API keys are refused, running jobs are paused, and webhooks are held. Nothing is deleted. Contact your administrator to have it resumed.",
      ],
    }),

  accountResumed: (to: string, signIn: string) =>
    addressed(to, {
      subject: "Your Mailvet account is active again",
      paragraphs: ["Your Mailvet account is no longer suspended. Jobs that the suspension paused continue."],
      button: { label: "Sign in", url: signIn },
    }),

  accountApproved: (to: string, signIn: string) =>
    addressed(to, {
      subject: "Your Mailvet account is approved",
      paragraphs: [
        "Your Mailvet account is approved and ready to use. Sign in with the password that you chose.",
      ],
      button: { label: "Sign in", url: signIn },
    }),

  accountErased: (to: string) =>
    addressed(to, {
      subject: "Your Mailvet account was deleted",
      paragraphs: ["Your Mailvet account and all its data were deleted."],
    }),

  passkeyAdded: (to: string, name: string, settings: string) =>
    addressed(to, {
      subject: "A passkey was added to your Mailvet account",
      paragraphs: [
        `The passkey "${oneLine(name)}" can now sign in to your Mailvet account.`,
        "If this wasn't you, remove it and change your password now.",
      ],
      button: { label: "Open settings", url: settings },
    }),

  passkeyRemoved: (to: string, name: string, settings: string) =>
    addressed(to, {
      subject: "A passkey was removed from your Mailvet account",
      paragraphs: [
        `The passkey "${oneLine(name)}" no longer signs in to your Mailvet account, and all other sessions were ended.`,
        "If this wasn't you, change your password now.",
      ],
      button: { label: "Open settings", url: settings },
    }),

  /** With what has become of the account's passkeys, which are independent of the password. */
  passwordChanged: (
    to: string,
    resetPassword: string,
    passkeys: { left: number; removed: number; settings: string },
  ) =>
    addressed(to, {
      subject: "Your Mailvet password was changed",
      paragraphs: [
        "The password of your Mailvet account was changed.",
        ...(passkeys.removed > 0 ? ["All passkeys of the account were removed."] : []),
        ...(passkeys.left > 0
          ? [
              {
                text: `The account has passkeys (${passkeys.left}), which still sign in. Remove those you don't recognise`,
                link: passkeys.settings,
              },
            ]
          : []),
        "If this wasn't you, reset your password now.",
      ],
      button: { label: "Reset password", url: resetPassword },
    }),

  jobCompleted: (job: Job, publicUrl: string): EmailContent => ({
    subject: `${oneLine(job.filename)} is validated`,
    paragraphs: [outcomeOf(job)],
    facts: [
      ["Valid", number(job.valid_count)],
      ["Risky", number(job.risky_count)],
      ["Invalid", number(job.invalid_count)],
      ["Unknown", number(job.unknown_count)],
      ["Credits used", number(job.credits_used)],
      ...(job.credits_refunded > 0 ? [["Of which refunded", number(job.credits_refunded)] as const] : []),
    ],
    button: { label: "View results", url: `${publicUrl}/bulk/${job.id}` },
    notes: [whyTold(publicUrl)],
  }),

  jobFailed: (job: Job, publicUrl: string): EmailContent => ({
    subject: `${oneLine(job.filename)} could not be validated`,
    paragraphs: [oneLine(job.error?.detail ?? "An internal error ended it.")],
    button: { label: "View job", url: `${publicUrl}/bulk/${job.id}` },
    notes: [whyTold(publicUrl)],
  }),

  listChanged: (
    list: { id: string; name: string; newlyInvalid: number; recovered: number },
    publicUrl: string,
  ): EmailContent => ({
    subject: `${oneLine(list.name)} has changed`,
    paragraphs: ["The last run has found changes."],
    facts: [
      ["Newly invalid", number(list.newlyInvalid)],
      ["Recovered", number(list.recovered)],
    ],
    button: { label: "View changes", url: `${publicUrl}/lists/${list.id}` },
    notes: [whyTold(publicUrl)],
  }),

  listNotValidated: (
    list: { id: string; name: string; refusal: Pick<Refusal, "code" | "message"> },
    publicUrl: string,
  ): EmailContent => ({
    subject: `${oneLine(list.name)} ${list.refusal.code === "insufficient_credits" ? "needs credits" : "was not validated"}`,
    paragraphs: [
      `The scheduled run of “${oneLine(list.name)}” did not start. ${oneLine(list.refusal.message)}`,
    ],
    button: { label: "View list", url: `${publicUrl}/lists/${list.id}` },
    notes: [whyTold(publicUrl)],
  }),

  jobNeedsCredits: (name: string, detail: string, publicUrl: string): EmailContent => ({
    subject: `${oneLine(name)} needs credits`,
    paragraphs: [`The validation did not start. ${oneLine(detail)}`],
    button: { label: "View usage", url: `${publicUrl}/usage` },
    notes: ["Sent at most once a day.", whyTold(publicUrl)],
  }),

  lowCredits: (balance: number, threshold: number, publicUrl: string): EmailContent => ({
    subject: "Your Mailvet credits are low",
    paragraphs: [
      `The balance of your account is ${number(balance)}, which is below your threshold of ${number(threshold)} credits.`,
    ],
    button: { label: "View usage", url: `${publicUrl}/usage` },
    notes: [whyTold(publicUrl)],
  }),

  egressRefused: (
    { provider, identity, state, since, reply, removal_url: link }: ProviderState,
    publicUrl: string,
  ): EmailContent => ({
    subject:
      state === "listed" ? `Mailvet is on the blocklist ${provider}` : `Mailvet is refused by ${provider}`,
    paragraphs: [
      state === "listed"
        ? `The blocklist ${provider} has the address of the egress identity ${identity}.`
        : `The mail provider ${provider} refuses the egress identity ${identity}. Rows of lists wait for it, and are refunded if it does not relent.`,
      ...(reply ? [oneLine(reply)] : []),
      ...(since ? [`Since ${since.slice(0, 16).replace("T", " ")} UTC.`] : []),
      ...(link ? [`Removal is requested at ${link}`] : []),
    ],
    button: { label: "View system", url: `${publicUrl}/operator/system` },
    notes: ["Sent to operators, once until it ends."],
  }),

  egressAccepted: (
    { provider, identity, state }: Pick<ProviderState, "provider" | "identity" | "state">,
    publicUrl: string,
  ): EmailContent => ({
    subject:
      state === "listed"
        ? `Mailvet is no longer on the blocklist ${provider}`
        : `Mailvet is no longer refused by ${provider}`,
    paragraphs: [
      state === "listed"
        ? `The blocklist ${provider} no longer has the address of the egress identity ${identity}.`
        : `The mail provider ${provider} accepts the egress identity ${identity} again, or was not asked for an hour.`,
    ],
    button: { label: "View system", url: `${publicUrl}/operator/system` },
  }),
};

function addressed(to: string, content: EmailContent): OutgoingEmail {
  return { to, ...renderEmail(content) };
}

function outcomeOf({ valid_count, risky_count, invalid_count, unknown_count }: Job): string {
  const total = valid_count + risky_count + invalid_count + unknown_count;
  const percent = Math.floor((100 * valid_count) / Math.max(1, total));
  return `${percent} % of ${number(total)} results are valid.`;
}

const whyTold = (publicUrl: string): Paragraph => ({
  text: "To choose which emails you get, open the settings",
  link: `${publicUrl}/settings`,
});

/** A text that a user chose cannot add lines to a message. */
function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Z}]+/gu, " ");
}
