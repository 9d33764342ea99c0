/**
 * The trials of each server, with the expected results.
 *
 * Every trial begins with a new verifier. The set-up scripts say what each domain holds.
 */
import type { SubStatus } from "@mailvet/contract";
import { MAILBOXES, MISSING_MAILBOXES, shuffled } from "./mailboxes.ts";

export type Trial = {
  title: string;
  emails: readonly string[];
  expected: (email: string) => SubStatus;
  /** The server offers STARTTLS at this address, so every session must be encrypted. */
  isEncrypted: boolean;
  /** More connections than this mean that the engine lost sessions or opened needless ones. */
  atMostConnections: number;
  /** Pause before the trial. */
  afterMs: number;
  /** What the server may log although nothing went wrong on our side. */
  excuses: RegExp | undefined;
};

export type TrialSet =
  | "postfix"
  | "exim"
  | "opensmtpd"
  | "opensmtpd-backports"
  | "sendmail"
  | "courier"
  | "mailfront"
  | "dovecot";

export function trialsOf(set: TrialSet): Trial[] {
  return TRIALS[set];
}

type Needed = Pick<Trial, "title" | "emails" | "expected"> & Partial<Trial>;

const ORDINARY = { isEncrypted: true, atMostConnections: 1, afterMs: 0, excuses: undefined } as const;
const trial = (needed: Needed): Trial => ({ ...ORDINARY, ...needed });

const isMailbox = (email: string) => MAILBOXES.includes(email.slice(0, email.indexOf("@")));
const byMailbox = (email: string): SubStatus => (isMailbox(email) ? "" : "mailbox_not_found");
const always = (subStatus: SubStatus) => () => subStatus;
const at = (domain: string, names: readonly string[]) => names.map((name) => `${name}@${domain}`);
const mixed = (domain: string, known: number, unknown: number) =>
  shuffled(at(domain, [...MAILBOXES.slice(0, known), ...MISSING_MAILBOXES.slice(0, unknown)]));

const known = (domain: string): Needed[] => [
  { title: "one mailbox", emails: [`ann.baker@${domain}`], expected: always("") },
  { title: "one missing mailbox", emails: [`ann-baker@${domain}`], expected: always("mailbox_not_found") },
];
const overQuota = (domain: string): Needed => ({
  title: "over quota",
  emails: [`full@${domain}`],
  expected: always("mailbox_full"),
});
const disabled = (domain: string): Needed => ({
  title: "disabled",
  emails: [`closed@${domain}`],
  expected: always("mailbox_disabled"),
});
const catchAll = (domain: string): Needed => ({
  title: "catch-all domain",
  emails: at(`anyone.${domain}`, MAILBOXES.slice(0, 20)),
  expected: always("catch_all"),
});
const singly = (domain: string): Needed[] => [
  ...known(domain),
  overQuota(domain),
  disabled(domain),
  catchAll(domain),
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
  {
    title: "200, half of them missing",
    emails: mixed(domain, 100, 100),
    expected: byMailbox,
    atMostConnections: 20,
  },
  {
    title: "100, nine tenths missing",
    emails: mixed(domain, 10, 90),
    expected: byMailbox,
    atMostConnections: 20,
  },
  {
    title: "150 catch-all domains",
    emails: Array.from({ length: 150 }, (_, index) => `ann.baker@m${index + 1}.many.${domain}`),
    expected: always("catch_all"),
    atMostConnections: 2,
  },
  { title: "1,000 mailboxes", emails: mixed(domain, 1000, 0), expected: byMailbox, atMostConnections: 4 },
];

const POSTFIX_ENDPOINTS: Needed[] = [
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
    atMostConnections: 4,
  },
  {
    title: "behind postscreen",
    emails: at("screened.postfix.test", ["ann.baker", "ann-baker"]),
    expected: byMailbox, // six seconds between the two lines of its banner
  },
  {
    title: "behind postgrey, first session",
    emails: at("grey.postfix.test", ["ann.baker", "ann-baker"]),
    expected: always("greylisted"),
  },
  {
    title: "behind postgrey, second session",
    emails: at("grey.postfix.test", ["ann.baker", "ann-baker"]),
    expected: byMailbox,
    afterMs: 6000,
  },
  {
    title: "recipients verified by a trial delivery",
    emails: at("verified.postfix.test", ["ann.baker"]),
    expected: always(""), // up to six seconds for each new name
  },
];

const DOVECOT_DOORS: Needed[] = [
  {
    title: "unverified recipients deferred",
    emails: mixed("default.dovecot.test", 5, 5),
    atMostConnections: 2,
    expected: (email) => (isMailbox(email) ? "" : "temporary_error"), // 450 is its only reply for a missing mailbox
  },
  {
    title: "Dovecot stopped",
    emails: at("down.dovecot.test", ["ann.baker", "ann-baker"]),
    expected: always("temporary_error"),
  },
  { ...overQuota("quota.dovecot.test"), title: "over quota, from quota-status" },
  {
    title: "quota-status alone, no verification",
    emails: at("quota.dovecot.test", ["ann.baker", "ann-baker"]),
    expected: always("catch_all"),
  },
];

const starttls = (excuses: RegExp | undefined): Needed => ({
  title: "STARTTLS, 200, half of them missing",
  emails: mixed("secure.opensmtpd.test", 100, 100),
  expected: byMailbox,
  isEncrypted: excuses === undefined,
  atMostConnections: 20,
  excuses,
});

const TRIALS: Record<TrialSet, Trial[]> = {
  postfix: [
    ...singly("postfix.test"),
    domainNotHosted("postfix.test", "temporary_error"), // Debian's uses 454, which is temporary
    ...POSTFIX_ENDPOINTS,
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
    domainNotHosted("opensmtpd.test", "mailbox_not_found"), // it has the same text for both
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
  courier: [
    ...known("courier.test"),
    {
      title: "in capitals, which it distinguishes",
      emails: at("courier.test", ["ANN.BAKER", "Ben.Baker", "ANN-BAKER"]),
      expected: (email: string) => byMailbox(email.toLowerCase()),
      atMostConnections: 2,
    },
    catchAll("courier.test"),
    domainNotHosted("courier.test", "domain_not_accepted"),
    { title: "SMTPUTF8", emails: ["jürgen@courier.test"], expected: always("mailbox_not_found") },
    {
      title: "with the default delay, two refusals", // 8 s for the first of a session, 16 s for the second
      emails: mixed("tarpit.courier.test", 1, 1),
      expected: byMailbox,
    },
    {
      title: "with the default delay, three refusals", // 32 s for the third, longer than the engine waits
      emails: mixed("tarpit.courier.test", 2, 2),
      expected: byMailbox,
      atMostConnections: 3,
    },
    ...inBulk("courier.test"),
  ].map(trial),
  mailfront: [
    ...known("mailfront.test"),
    catchAll("mailfront.test"),
    domainNotHosted("mailfront.test", "probe_blocked"), // its text fits a mailbox, a domain and a policy alike
    withoutSmtpUtf8("mailfront.test"),
    {
      title: "only the domain checked",
      emails: mixed("unchecked.mailfront.test", 5, 5),
      expected: always("catch_all"),
    },
    {
      title: "in badrcptto", // a list for anything the operator rejects
      emails: ["closed@unchecked.mailfront.test"],
      expected: always("probe_blocked"),
    },
    ...inBulk("mailfront.test"),
  ].map((needed) => trial({ isEncrypted: false, ...needed })),
  dovecot: [
    ...known("dovecot.test"),
    overQuota("dovecot.test"),
    catchAll("dovecot.test"),
    domainNotHosted("dovecot.test", "temporary_error"),
    ...DOVECOT_DOORS,
    {
      title: "40, half of them missing", // each new name takes it a second or more
      emails: mixed("dovecot.test", 20, 20),
      expected: byMailbox,
      atMostConnections: 6,
    },
  ].map(trial),
};
