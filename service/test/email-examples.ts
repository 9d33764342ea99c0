/** One example of every email, for its test and for the screenshots. `name` is used wherever a user chooses a text. */
import type { Job, ProviderState } from "@mailvet/contract";
import { Refusal } from "../src/base/refusal.ts";
import { type EmailContent, renderEmail } from "../src/mail/email-layout.ts";
import { emailTemplates } from "../src/mail/email-templates.ts";
import type { OutgoingEmail } from "../src/mail/mailer.ts";

export const EXAMPLE_URL = "https://mailvet.example";
const TO = "ann@shop.example";
const TOKEN = "q7Vf2mXh0sYtB1uGk4pLw9cR";
const ID = "7f1c8a52-33f0-4d77-9b0a-0b8f2f6f3a11";

type Examples = Record<keyof typeof emailTemplates, (name: string) => OutgoingEmail>;

const at = (path: string) => EXAMPLE_URL + path;
const toOwner = (content: EmailContent): OutgoingEmail => ({ to: TO, ...renderEmail(content) });
const jobOf = (filename: string, error: string | undefined): Job =>
  ({
    id: ID,
    filename,
    valid_count: 9_120,
    risky_count: 1_402,
    invalid_count: 1_311,
    unknown_count: 167,
    credits_used: 12_000,
    credits_refunded: 24,
    error: error === undefined ? null : { detail: error },
  }) as unknown as Job;

const refusedState = (reply: string): ProviderState => ({
  identity: "default",
  provider: "microsoft_365",
  state: "refused",
  since: "2026-11-19T14:05:00.000Z",
  retry_at: null,
  reply: `550 5.7.606 Access denied, banned sending IP ${reply}`,
  removal_url: "https://sender.office.com/",
});

export const EMAIL_EXAMPLES: Examples = {
  confirmEmail: () => emailTemplates.confirmEmail(TO, at(`/confirm-email?token=${TOKEN}`)),
  choosePassword: () => emailTemplates.choosePassword(TO, at(`/reset-password?token=${TOKEN}`)),
  accountExists: () => emailTemplates.accountExists(TO, at("/sign-in")),
  resetPassword: () => emailTemplates.resetPassword(TO, at(`/reset-password?token=${TOKEN}`)),
  wrongPasswords: () => emailTemplates.wrongPasswords(TO, at("/forgotten-password")),
  wrongCodes: () => emailTemplates.wrongCodes(TO, at("/forgotten-password")),
  newNetwork: () =>
    emailTemplates.newNetwork(
      TO,
      { ip: "192.0.2.7", at: new Date(Date.UTC(2026, 0, 2, 9, 5)) },
      at("/forgotten-password"),
    ),
  invitation: () => emailTemplates.invitation(TO, at(`/reset-password?invitation=yes&token=${TOKEN}`)),
  confirmNewEmail: () => emailTemplates.confirmNewEmail(TO, at(`/confirm-email?new=yes&token=${TOKEN}`)),
  emailChanged: () => emailTemplates.emailChanged(TO, "ann@new-shop.example"),
  accountSuspended: (name) => emailTemplates.accountSuspended(TO, name),
  accountResumed: () => emailTemplates.accountResumed(TO, at("/sign-in")),
  accountApproved: () => emailTemplates.accountApproved(TO, at("/sign-in")),
  accountErased: () => emailTemplates.accountErased(TO),
  passkeyAdded: (name) => emailTemplates.passkeyAdded(TO, name, at("/settings")),
  passkeyRemoved: (name) => emailTemplates.passkeyRemoved(TO, name, at("/settings")),
  passwordChanged: () =>
    emailTemplates.passwordChanged(TO, at("/forgotten-password"), {
      left: 2,
      removed: 0,
      settings: at("/settings"),
    }),
  jobCompleted: (name) => toOwner(emailTemplates.jobCompleted(jobOf(name, undefined), EXAMPLE_URL)),
  jobFailed: (name) => toOwner(emailTemplates.jobFailed(jobOf(name, name), EXAMPLE_URL)),
  listChanged: (name) =>
    toOwner(emailTemplates.listChanged({ id: ID, name, newlyInvalid: 42, recovered: 3 }, EXAMPLE_URL)),
  listNotValidated: (name) => {
    const refusal = new Refusal("insufficient_credits", `This costs 12,000 credits: ${name}`);
    return toOwner(emailTemplates.listNotValidated({ id: ID, name, refusal }, EXAMPLE_URL));
  },
  jobNeedsCredits: (name) =>
    toOwner(emailTemplates.jobNeedsCredits(name, "The balance is 842.", EXAMPLE_URL)),
  egressRefused: (name) => toOwner(emailTemplates.egressRefused(refusedState(name), EXAMPLE_URL)),
  egressAccepted: () => toOwner(emailTemplates.egressAccepted(refusedState(""), EXAMPLE_URL)),
  lowCredits: () => toOwner(emailTemplates.lowCredits(842, 1_000, EXAMPLE_URL)),
};
