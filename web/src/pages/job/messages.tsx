/** Texts of the job page: progress, actions, downloads, results, and the reasons for verdicts. */
import type { JobStatus, Recommendation, ResultStatus, Status, SubStatus } from "@mailvet/contract";
import type { ReactNode } from "react";
import { formatNumber, plural } from "../../components/number-format.ts";
import { common } from "../../messages.ts";

export const messages = {
  allJobs: "← All jobs",
  intro: (column: string, startedAt: ReactNode) => (
    <>
      Column “{column}”, started {startedAt}.
    </>
  ),
  failed: "The job could not be loaded",
  errorTitle: (title: string) => title,
  notLive: "Live progress is unavailable",

  notFound: {
    title: "Job not found",
    reason: "It may have been deleted",
    hint: "Or it belongs to another account, or the link is mistyped.",
    back: "Go to jobs",
  },
  noResults: {
    none: "No results",
    noneText: "Only the counts above are available.",
    expired: "Results have expired",
    expiredText: (at: ReactNode) => <>They were kept until {at}. The counts above remain.</>,
  },

  actions: {
    pause: "Pause",
    resume: "Resume",
    cancel: "Cancel",
    finish: "Finish now",
    delete: common.delete,
    pending: { pause: "Pausing…", resume: "Resuming…", cancel: "Cancelling…", finish: "Finishing…" },
    confirm: {
      cancel: {
        title: "Cancel this job?",
        button: "Cancel job",
        text: (left: number) =>
          `Verdicts so far are kept and can be downloaded right away. The remaining ${common.emails(left)} are not checked and not charged. A cancelled job can't be resumed.`,
      },
      finish: {
        title: "Finish this job now?",
        button: "Finish job",
        text: (left: number) =>
          `The remaining ${common.emails(left)} become unknown. Those that were not checked yet are not charged; those that wait for a retry are charged like any verdict.`,
      },
    },
    deleteTitle: "Delete this job?",
    deleteConfirm: "Delete job",
    deleteText: (isRunning: boolean) =>
      `${isRunning ? "The job is cancelled first. " : ""}The file and all results are permanently deleted. Download anything you want to keep first.`,
    keep: "Keep job",
  },

  downloads: {
    button: "Download",
    title: "Downloads",
    intro: "Your rows and columns, with the verdicts appended.",
    rows: "Rows",
    formats: { csv: "CSV", xlsx: "Excel", ndjson: "NDJSON" },
    all: ["All rows", "the whole file"],
    hints: {
      valid: "safe to send to",
      risky: "your decision",
      unknown: "worth a retry",
      invalid: "leave out",
    } satisfies Record<Status, string>,
    link: (rows: string, format: string) => `${rows} as ${format}`,
    safe: ["Safe to send", "recommended"],
    filtered: ["Filtered rows", "as shown below"],
    columns: "Columns",
    columnChoices: [
      ["", "All columns"],
      ["email,status,sub_status,score", "Email and verdict"],
      ["email,status,sub_status,score,reason,suggestion", "Email, verdict and reason"],
    ],
    more: "More formats",
    forExcel: "CSV for Excel",
    zip: "ZIP, one file per verdict",
    partial: "The job still runs: rows without a verdict are marked “pending”.",
  },

  progress: {
    rate: (perSecond: number) =>
      perSecond >= 1
        ? `${formatNumber(Math.round(perSecond))} per second on average`
        : `${formatNumber(Math.max(1, Math.round(perSecond * 60)))} per minute on average`,
    keptUntil: (at: ReactNode) => <>Results are kept until {at}.</>,
    queued: "Waiting to start. You can close this page. The job keeps running.",
    processing: "You can close this page. The job keeps running.",
    retrying: (left: number) =>
      `${common.emails(left)} left, which will be retried. You can close this page. The job keeps running.`,
    finishing:
      "Finishing with the verdicts so far; no more emails are checked. You can close this page. The job keeps running.",
    waitingForServers: "waiting for mail servers",
    retries: (waiting: readonly (readonly [name: string, count: number])[]) =>
      `Waiting for a retry: ${waiting.map(([name, count]) => `${name.toLowerCase()} (${formatNumber(count)})`).join(", ")}.`,
    refuses: (provider: string, since: ReactNode, emails: number) => (
      <>
        {provider} refuses this installation since {since}. {common.emails(emails)}{" "}
        {emails === 1 ? "waits" : "wait"} for it, and cost nothing unless checked.
      </>
    ),
    nextAttempt: (at: ReactNode) => <>Next attempt {at}.</>,
    nextAttemptSoon: "Next attempt within a minute.",
    paused:
      "Paused. Checks in progress will finish; nothing else runs until you resume. Credits stay reserved.",
    completed: (took: string) => `Finished in ${took}.`,
    cancelled: (at: ReactNode) => (
      <>Cancelled {at}. Verdicts so far are kept; unused credits were returned.</>
    ),
    failed: "The job ended early. Verdicts so far are kept; unused credits were returned.",
    announceEnd: (status: JobStatus) => `The job is ${status}.`,
    announcePercent: (percent: number) => `${percent} percent of the emails have a verdict.`,
  },

  recheck: {
    open: "Check again",
    title: "Check again",
    which: "Results to check again",
    choices: {
      unknown: (count: number) => `Unknown (${formatNumber(count)})`,
      risky: (count: number) => `Risky (${formatNumber(count)})`,
      all: (count: number) => `All (${formatNumber(count)})`,
    },
    cost: "Costs one credit per email. Unknown results of the last 24 hours are free. A new result replaces the old one unless it is less conclusive; the previous one stays visible.",
    confirm: "Check again",
    was: (status: Status) => `was ${status}`,
  },

  facts: {
    rows: "Rows in the file",
    emails: "Rows with an email",
    unique: "Unique emails",
    duplicates: "Duplicates",
    creditsUsed: "Credits used",
    used: (used: number, refunded: number) =>
      refunded === 0 ? formatNumber(used) : `${formatNumber(used)}, ${formatNumber(refunded)} refunded`,
    creditsReserved: "Credits reserved",
    finished: "Finished",
  },

  outcome: {
    title: "Outcome",
    safe: (share: string) => `${share} safe to send`,
    bounce: (share: string) => `${share} would bounce`,
    done: (share: string) => `${share} checked`,
    soFar: (safe: string) => `${safe} so far`,
  },

  reasons: {
    title: "Reasons",
    empty: "Shown with the first verdicts.",
    more: (count: number) => `Show ${plural(count, "more reason")}`,
    fewer: "Show fewer",
    advice: (status: Status, recommendation: Recommendation | undefined) =>
      recommendation ? `${status} · ${common.recommendations[recommendation].toLowerCase()}` : status,
  },

  results: {
    title: "Results",
    search: "Search emails",
    clear: "Clear search",
    filter: "Filter by verdict",
    all: "All",
    failed: "Results could not be loaded",
    none: "No rows yet",
    noneText: "They are shown as soon as the file is read.",
    waiting: "Waiting",
    status: (status: ResultStatus): string => status,
    open: (email: string) => `Show the check of ${email}`,
    soFar: (settled: number, all: number) =>
      `; ${formatNumber(settled)} of ${common.emails(all)} have a verdict so far`,
    more: {
      button: (count: number) => (count > 0 ? `Filters (${count})` : "Filters"),
      title: "More filters",
      safe: "Safe to send only",
      reason: "Reason",
      any: "Any",
      min_score: "Lowest score",
      max_score: "Highest score",
      domain: "Domain",
      provider: "Provider",
      sort: "Sort by",
      orders: [
        ["", "Row"],
        ["-score", "Score, highest first"],
        ["score", "Score, lowest first"],
        ["email", "Email"],
        ["domain", "Domain"],
        ["-checked_at", "Last checked"],
      ],
      reset: "Reset filters",
    },
    truncated: (shown: number, total: number) =>
      `First ${formatNumber(shown)} of ${common.rows(total)}; the download contains all of them`,
    noMatch: "No matching rows",
    noMatchText: "Change or reset the filters above.",
    row: "Row",
    duplicate: "duplicate",
    pending: { name: "Waiting", meaning: "There is no verdict yet." },
  },

  story: {
    title: (row: string) => `Row ${row}`,
    failed: "The check could not be loaded",
    checkAgain: (price: string) => `Check again (${price})`,
    copySuggestion: "Copy suggestion",
  },
} as const;

export type SubStatusText = { status: Status; name: string; meaning: string };

const SUB_STATUSES: Readonly<Record<SubStatus, readonly [status: Status, name: string, meaning: string]>> = {
  "": ["valid", "Mailbox accepted", "The server accepts this mailbox and rejects made-up ones."],
  privacy_relay: ["valid", "Privacy relay", "Accepted; the relay forwards to a private mailbox."],
  agent_mailbox: ["valid", "Agent mailbox", "Accepted; a software agent reads this mailbox."],

  syntax_error: ["invalid", "Malformed", "The address violates the syntax rules."],
  provider_syntax: ["invalid", "Impossible address", "Not a possible address at this provider."],
  reserved_domain: ["invalid", "Reserved domain", "The domain is reserved and can't receive mail."],
  domain_not_found: [
    "invalid",
    "Domain does not exist",
    "DNS has no such domain, or no public address for it.",
  ],
  no_mail_server: ["invalid", "No mail server", "The domain exists but has no mail server."],
  null_mx: ["invalid", "Domain accepts no mail", "The domain publishes a null MX record."],
  unroutable_mail_server: [
    "invalid",
    "Mail server unreachable",
    "None of its mail servers has a public address.",
  ],
  mailbox_not_found: ["invalid", "No such mailbox", "The server says this mailbox does not exist."],
  mailbox_disabled: ["invalid", "Mailbox disabled", "It exists but is disabled or suspended."],
  domain_not_accepted: [
    "invalid",
    "Domain not accepted",
    "Its mail servers do not accept mail for this domain.",
  ],
  smtputf8_unsupported: ["invalid", "SMTPUTF8 unsupported", "The server can't handle non-ASCII addresses."],

  disposable: ["risky", "Disposable", "A temporary address at a disposable domain."],
  catch_all: ["risky", "Catch-all", "The server accepts any name, so this mailbox is unconfirmed."],
  role_based: ["risky", "Role address", "A shared mailbox such as info@ or sales@."],
  mailbox_full: ["risky", "Mailbox full", "It exists but is over quota."],
  restricted: ["risky", "Restricted", "It exists but accepts no mail from external senders."],
  possible_typo: ["risky", "Possible typo", "The domain resembles a large provider's."],
  low_quality: ["risky", "Low quality", "Accepted, but the name looks random."],

  greylisted: ["unknown", "Greylisted", "The server asked us to retry later, and time ran out."],
  rate_limited: ["unknown", "Rate limited", "The server limited our requests."],
  probe_blocked: ["unknown", "Our check was blocked", "This tells us nothing about the mailbox."],
  temporary_error: ["unknown", "Temporary error", "The server reported a temporary failure."],
  smtp_unreachable: ["unknown", "Server unreachable", "None of its mail servers accepted a connection."],
  smtp_timeout: ["unknown", "Server timeout", "The server did not answer in time."],
  smtp_protocol_error: ["unknown", "Server error", "The connection dropped or the reply was invalid."],
  egress_blocked: ["unknown", "Port 25 blocked", "This installation can't reach mail servers."],
  server_untrusted: ["unknown", "Server not trusted", "It was not seen to tell mailboxes apart."],
  smtp_skipped: [
    "unknown",
    "Mailbox not checked",
    "The job was finished before, or without asking the mail server.",
  ],
  dns_error: ["unknown", "DNS error", "The domain's name servers did not answer."],
  internal_error: ["unknown", "Internal error", "Something went wrong on our side."],
};

/** A newer service may send unknown sub-statuses; they are shown by their identifiers. */
export function subStatusText(subStatus: string): SubStatusText {
  const row = Object.hasOwn(SUB_STATUSES, subStatus) ? SUB_STATUSES[subStatus as SubStatus] : undefined;
  if (!row) return { status: "unknown", name: subStatus.replaceAll("_", " "), meaning: "" };
  const [status, name, meaning] = row;
  return { status, name, meaning };
}
