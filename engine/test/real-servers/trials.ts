/**
 * What is asked of each server, and what the answer has to be.
 *
 * Every trial begins with a verifier that remembers nothing. The set-up scripts say what each domain holds.
 */
import type { SubStatus } from "@mailvet/contract";
import { MAILBOXES, STRANGERS, shuffled } from "./mailboxes.ts";

export type Trial = {
  title: string;
  emails: readonly string[];
  expected: (email: string) => SubStatus;
  /** The server offers STARTTLS at this door, so no visit may stay in the clear. */
  isEncrypted: boolean;
  /** Longer than this and the server has made us wait. */
  withinSeconds: number;
  /** Time to let pass before it. */
  afterMs: number;
  /** What the server may say in its log although nothing went wrong on our side. */
  excuses: RegExp | undefined;
};

export type TrialSet = "postfix" | "exim" | "opensmtpd" | "opensmtpd-backports" | "sendmail";

export function trialsOf(set: TrialSet): Trial[] {
  return TRIALS[set];
}

type Needed = Pick<Trial, "title" | "emails" | "expected"> & Partial<Trial>;

const ORDINARY = { isEncrypted: true, withinSeconds: 5, afterMs: 0, excuses: undefined } as const;
const trial = (needed: Needed): Trial => ({ ...ORDINARY, ...needed });

const isMailbox = (email: string) => MAILBOXES.includes(email.slice(0, email.indexOf("@")));
const byMailbox = (email: string): SubStatus => (isMailbox(email) ? "" : "mailbox_not_found");
const always = (subStatus: SubStatus) => () => subStatus;
const at = (domain: string, names: readonly string[]) => names.map((name) => `${name}@${domain}`);
const mixed = (domain: string, known: number, unknown: number) =>
  shuffled(at(domain, [...MAILBOXES.slice(0, known), ...STRANGERS.slice(0, unknown)]));

const singly = (domain: string): Needed[] => [
  { title: "one mailbox", emails: [`ann.baker@${domain}`], expected: always("") },
  { title: "one stranger", emails: [`ann-baker@${domain}`], expected: always("mailbox_not_found") },
  { title: "over quota", emails: [`full@${domain}`], expected: always("mailbox_full") },
  { title: "disabled", emails: [`closed@${domain}`], expected: always("mailbox_disabled") },
  {
    title: "catch-all domain",
    emails: at(`anyone.${domain}`, MAILBOXES.slice(0, 20)),
    expected: always("catch_all"),
  },
];

const domainNotHosted = (domain: string, expected: SubStatus): Needed => ({
  title: "domain not hosted here",
  emails: [`ann.baker@elsewhere.${domain}`],
  expected: always(expected),
});

const withoutSmtpUtf8 = (domain: string): Needed => ({
  title: "no SMTPUTF8",
  emails: [`jürgen@${domain}`],
  expected: always("smtputf8_unsupported"),
});

/** Last, because they use up what a server allows a client. */
const inBulk = (domain: string): Needed[] => [
  { title: "200, half of them strangers", emails: mixed(domain, 100, 100), expected: byMailbox },
  { title: "100, nine tenths strangers", emails: mixed(domain, 10, 90), expected: byMailbox },
  {
    title: "150 catch-all domains",
    emails: Array.from({ length: 150 }, (_, index) => `ann.baker@m${index + 1}.many.${domain}`),
    expected: always("catch_all"),
    withinSeconds: 30,
  },
  { title: "1,000 mailboxes", emails: mixed(domain, 1000, 0), expected: byMailbox, withinSeconds: 30 },
];

const POSTFIX_DOORS: Needed[] = [
  {
    title: "virtual aliases, virtual mailboxes, relay recipients",
    emails: ["aliases", "mailboxes", "relayed"].flatMap((kind) =>
      at(`${kind}.postfix.test`, ["ann", "otto"]),
    ),
    expected: (email) => (email.startsWith("ann@") ? "" : "mailbox_not_found"),
  },
  {
    title: "SMTPUTF8",
    emails: at("postfix.test", ["jürgen", "jörg"]),
    expected: (email) => (email.startsWith("jürgen") ? "" : "mailbox_not_found"),
  },
  {
    title: "no PIPELINING, no STARTTLS",
    emails: mixed("sober.postfix.test", 20, 20),
    expected: byMailbox,
    isEncrypted: false,
  },
  {
    title: "behind postscreen",
    emails: at("screened.postfix.test", ["ann.baker", "ann-baker"]),
    expected: byMailbox,
    withinSeconds: 10, // it lets strangers wait 6 seconds in the middle of its greeting
  },
  {
    title: "behind postgrey, first visit",
    emails: at("grey.postfix.test", ["ann.baker", "ann-baker"]),
    expected: always("greylisted"),
  },
  {
    title: "behind postgrey, second visit",
    emails: at("grey.postfix.test", ["ann.baker", "ann-baker"]),
    expected: byMailbox,
    afterMs: 6000,
  },
  {
    title: "recipients verified by a trial delivery",
    emails: at("verified.postfix.test", ["ann.baker"]),
    expected: always(""),
    withinSeconds: 15, // it takes up to 6 seconds for each new name
  },
];

const starttls = (excuses: RegExp | undefined): Needed => ({
  title: "STARTTLS, 200, half of them strangers",
  emails: mixed("secure.opensmtpd.test", 100, 100),
  expected: byMailbox,
  isEncrypted: excuses === undefined,
  excuses,
});

const TRIALS: Record<TrialSet, Trial[]> = {
  postfix: [
    ...singly("postfix.test"),
    domainNotHosted("postfix.test", "temporary_error"), // Debian's says 454, which promises to reconsider
    ...POSTFIX_DOORS,
    ...inBulk("postfix.test"),
  ].map(trial),
  exim: [
    ...singly("exim.test"),
    domainNotHosted("exim.test", "domain_not_accepted"),
    withoutSmtpUtf8("exim.test"),
    ...inBulk("exim.test"),
  ].map(trial),
  opensmtpd: [
    ...singly("opensmtpd.test"),
    domainNotHosted("opensmtpd.test", "mailbox_not_found"), // it has the same words for both
    withoutSmtpUtf8("opensmtpd.test"),
    ...inBulk("opensmtpd.test"),
    starttls(/io-error: .*SSL routines/),
  ].map((needed) => trial({ isEncrypted: false, ...needed })),
  "opensmtpd-backports": [trial(starttls(undefined))],
  sendmail: [
    ...singly("sendmail.test"),
    domainNotHosted("sendmail.test", "domain_not_accepted"),
    withoutSmtpUtf8("sendmail.test"),
    ...inBulk("sendmail.test"),
  ].map(trial),
};
