/**
 * Texts of the shell and of everything that several pages show.
 *
 * Each page folder has a messages file of its own. Components contain no text: ui-text.test.ts refuses it.
 */
import type { JobStatus, Language, Plan, PlanLimits, Recommendation, Status } from "@mailvet/contract";
import { formatNumber, plural } from "./components/number-format.ts";

const credits = (count: number) => plural(count, "credit");
const emails = (count: number) => plural(count, "email");

export const common = {
  app: "Mailvet",
  documentTitle: (page: string) => `${page} · Mailvet`,
  tagline: "Check whether a mailbox exists without sending an email.",

  credits,
  emails,
  addresses: (count: number) => plural(count, "address", "addresses"),
  columns: (count: number) => plural(count, "column"),
  days: (count: number) => plural(count, "day"),
  mailboxes: (count: number) => plural(count, "mailbox", "mailboxes"),
  rows: (count: number) => plural(count, "row"),
  /** "12 of 40 emails" */
  emailsOf: (done: number, total: number) => `${formatNumber(done)} of ${emails(total)}`,
  reservedForJobs: (count: number) => `${formatNumber(count)} reserved for jobs`,
  timeLeft: (duration: string) => `about ${duration} left`,
  none: "–",
  justNow: "just now",
  yes: "Yes",
  no: "No",

  status: {
    valid: "Valid",
    risky: "Risky",
    unknown: "Unknown",
    invalid: "Invalid",
  } satisfies Record<Status, string>,
  recommendations: {
    send: "Send",
    caution: "Send with caution",
    do_not_send: "Don't send",
    retry: "Retry later",
  } satisfies Record<Recommendation, string>,
  /** Of one check, by mode. */
  price: { live: "1 credit", test: "simulated" },
  /** In place of "retry" where a lower level was asked for, or the job was finished early. */
  mailboxUnchecked: "Mailbox not checked",
  verdict: "Verdict",
  verdicts: "Verdicts",
  reason: "Reason",
  score: "Score",
  email: "Email",
  didYouMean: "Did you mean",
  chooseFile: "Choose file",

  actionsOf: (name: string) => `Actions for ${name}`,
  cancel: "Cancel",
  close: "Close",
  copy: "Copy",
  copied: "Copied",
  copyOf: (what: string) => `Copy ${what}`,
  delete: "Delete",
  done: "Done",
  retry: "Retry",
  save: "Save",
  saved: "Saved.",
  loading: "Loading",
  twoFactorCode: "Code",
  passkey: {
    cancelled: "The passkey request was cancelled or has timed out.",
    exists: "This device has a passkey for the account already.",
  },
  required: "This field is required.",
  wholeNumber: "Enter a whole number.",
  optional: "Optional.",
  askForCredits: "Ask your administrator for more credits.",

  error: {
    title: "Something went wrong",
    page: "This page could not be shown",
    unreachable: "The service can't be reached at the moment.",
    exportFailed: "The export has failed. Try again.",
    requestId: (id: string) => `Request ${id}`,
    /** A problem document, as the service describes it. */
    problem: (_code: string, detail: string) => detail,
    /** What is wrong with a field. */
    field: (message: string) =>
      `${message.charAt(0).toUpperCase()}${message.slice(1)}.`.replace(/\.\.$/, "."),
  },
  notFound: {
    title: "Page not found",
    hint: "The link may be outdated or mistyped.",
    home: "Go to Overview",
    validate: "Check an address",
    reference: "API reference",
    code: "404",
  },
  pager: {
    range: (first: number, last: number, total: number) =>
      `${formatNumber(first)}–${formatNumber(last)} of ${formatNumber(total)}`,
    page: (number: number) => `Page ${number}`,
    first: "First page",
    previous: "Previous page",
    next: "Next page",
    last: "Last page",
  },
  duration: {
    underSecond: "less than a second",
    seconds: (count: number) => `${formatNumber(count)}\u00a0s`,
    minutes: (count: number) => `${formatNumber(count)}\u00a0min`,
    hours: (count: number) => `${formatNumber(count)}\u00a0h`,
    days: (count: number) => plural(count, "day"),
  },
  /** Mail providers whose names are not their identifiers with capital letters. */
  providers: {
    "": "None known",
    other: "Other",
    qq: "QQ",
    gmx: "GMX",
    icloud: "iCloud",
    mail_ru: "Mail.ru",
  } as Readonly<Record<string, string>>,

  plans: {
    free: "Free",
    payg: "Pay as you go",
    starter: "Starter",
    growth: "Growth",
    enterprise: "Enterprise",
  } satisfies Record<Plan, string>,
  planLimits: (limits: PlanLimits): string[] => [
    limits.api_access ? "Web app and API" : "Web app and test keys. Live API keys work on paid plans.",
    `${plural(limits.requests_per_minute, "request")} per minute`,
    `${plural(limits.concurrent_requests, "concurrent request")}`,
    `Up to ${emails(limits.emails_per_file)} per file`,
    `${plural(limits.active_jobs, "active job")}`,
    `${formatNumber(limits.stored_bytes / 1e9)} GB of lists, compressed`,
  ],
  operator: "Operator",
  /** Each in its own language. */
  language: { title: "Language", names: { en: "English", de: "Deutsch" } satisfies Record<Language, string> },
};

export const shellMessages = {
  skipToContent: "Skip to content",
  openMenu: "Open menu",
  closeMenu: "Close menu",
  pages: "Pages",
  home: "Mailvet, overview",
  accountMenu: (email: string) => `Account ${email}`,
  theme: "Theme",
  themes: { light: "Light", dark: "Dark", auto: "System" },
  signOut: "Sign out",
  connection: { lost: "Connection lost. What you see may be out of date." },
  notifications: {
    jobEnded: (filename: string, status: JobStatus) => `${filename}: ${status}`,
    valid: (valid: number, total: number) => `${formatNumber(valid)} of ${emails(total)} are valid.`,
    notRun: (list: string) => `${list} was not checked`,
    changed: (list: string) => `${list} has changed`,
    changes: (newlyInvalid: number, recovered: number) =>
      `${formatNumber(newlyInvalid)} newly invalid, ${formatNumber(recovered)} recovered`,
  },
  palette: {
    open: "Search",
    title: "Search pages, jobs and keys",
    placeholder: "Go to a page, find a job or key, or enter an address",
    shortcut: (command: string) => `${command} K`,
    none: "Nothing found",
    check: "Check",
    checkEmail: (email: string) => `Check ${email}`,
    pages: "Pages",
    jobs: "Jobs",
    keys: "API keys",
    accounts: "Accounts",
  },
  shortcuts: {
    title: "Keyboard shortcuts",
    commandKey: "⌘",
    controlKey: "Ctrl",
    list: (command: string): [keys: string[], action: string][] => [
      [[command, "K"], "Search and go to a page"],
      [["?"], "Show this list"],
      [["Esc"], "Close a dialog"],
      [[command, "V"], "Paste a list, on the Bulk page"],
    ],
  },
  testMode: {
    name: "Test mode",
    explanation: "Verdicts are simulated, no mail server is contacted, and nothing is charged.",
    figures: "Simulated figures: test mode spends no credits and counts no verdicts.",
    enter: "Switch to test mode",
    leave: "Leave test mode",
  },
  nav: {
    overview: "Overview",
    validate: "Validate",
    bulk: "Bulk",
    lists: "Saved lists",
    keys: "API keys",
    webhooks: "Webhooks",
    usage: "Usage and credits",
    audit: "Audit log",
    settings: "Settings",
    guide: "Guide",
    reference: "API reference",
    accounts: "Accounts",
    jobs: "Jobs",
    operatorKeys: "Operator keys",
    operatorAudit: "All audit logs",
    system: "System",
  },
};
