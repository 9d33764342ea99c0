/** Texts of the operator pages: accounts and system. */
import type { AccountState, DoctorFinding, LedgerEntry, SystemProcess } from "@mailvet/contract";
import type { ReactNode } from "react";
import { formatList, formatNumber, plural } from "../../components/number-format.ts";
import { common } from "../../messages.ts";

export const messages = {
  noAccess: "No access",
  noAccessText: "You don't have access to this page.",

  accounts: {
    title: "Accounts",
    intro: "All accounts of this installation.",
    total: (count: number) => plural(count, "account"),
    search: "Search",
    searchHint: "Part of the email",
    none: "No matching account",
    noneText: (search: string) => `No email contains “${search}”.`,
    state: "State",
    allStates: "All states",
    email: "Email",
    plan: "Plan",
    credits: "Credits",
    reserved: (count: number) => `+ ${formatNumber(count)} reserved`,
    used: "Used, 30 days",
    lastSeen: "Last seen",
    created: "Created",
  },

  states: {
    active: "Active",
    invited: "Invited",
    unconfirmed: "Unconfirmed",
    suspended: "Suspended",
    erasing: "Being deleted",
  } satisfies Record<AccountState, string>,

  pager: { first: "First page", next: "Next page" },

  open: {
    button: "Create account",
    title: "Create account",
    submit: "Create account",
    taken: "This email already has an account.",
    defaultPlan: "Plan of new accounts",
    creditsHint: "Empty: the credits of new accounts.",
    linkTitle: "Invitation link",
    linkLabel: "link",
    linkText: (email: string) =>
      `Pass this link on to ${email}. It opens a page to choose a password, works once, and expires in 7 days. It is not shown again.`,
  },

  account: {
    title: "Account",
    back: "← All accounts",
    notFound: {
      title: "Account not found",
      reason: "It may have been closed or erased",
      hint: "Or the link is mistyped.",
      back: "Go to accounts",
    },
    created: (at: ReactNode) => <>created {at}</>,
    suspendedTitle: "Suspended",
    suspended: (at: ReactNode, reason: string) => (
      <>
        Since {at}: {reason}
      </>
    ),
    used: "Credits used",
    usedHint: "Last 30 days",
    lastSeenHint: "Session or API key",
    actions: "Actions",
    planTitle: "Plan",
    creditsTitle: "Credits",
    jobs: "Recent jobs",
    allJobs: "All jobs of this account",
    noJobs: "No jobs",
    keys: "API keys",
    noKeys: "No API keys",
    keyName: "Name",
    keyPrefix: "Key",
    prefix: (prefix: string) => `${prefix}…`,
    keyLastUsed: "Last used",
    keyState: "State",
    revoked: "Revoked",
    active: "Active",
    ledger: "Latest ledger entries",
    noLedger: "No entries",
    reference: "Entry",
    at: "Time",
    change: "Change",
    balanceAfter: "Balance",
    kinds: {
      grant: "Granted",
      reserve: "Reserved",
      settle: "Spent",
      release: "Returned",
      adjust: "Deducted",
      refund: "Refunded",
    } satisfies Record<LedgerEntry["kind"], string>,
  },

  actions: {
    invite: "Send new invitation",
    invited: "The invitation was sent.",
    suspend: "Suspend",
    suspendTitle: (email: string) => `Suspend ${email}?`,
    suspendText:
      "Its API keys, sessions and sign-in are refused within a second, running jobs are paused, and webhooks are held. Nothing is deleted.",
    suspendReason: "Shown to the owner.",
    resume: "Resume",
    email: "Change email",
    emailTitle: "Change email",
    emailText: (email: string) => `The email is ${email} now. The owner is told at both addresses.`,
    newEmail: "New email",
    emailConfirm: "Only after a link sent to the new email was opened",
    sessions: "End sessions",
    sessionsTitle: "End all sessions?",
    sessionsText: (email: string) =>
      `${email} will have to sign in again in every browser. API keys stay valid.`,
    export: "Export",
    erase: "Erase",
    eraseTitle: (email: string) => `Erase ${email}?`,
    eraseText:
      "Deletes the account with all jobs, files, results, keys, webhooks, credits and usage. This can't be undone. Export it first if its data is still needed.",
    eraseEmail: "Type the email of the account to confirm",
    eraseReason: "For your records.",
    eraseSubmit: "Erase account",
  },

  jobs: {
    title: "Jobs",
    intro: "Jobs of all accounts, newest first.",
    status: "Status",
    allStatuses: "All statuses",
    file: "File",
    account: "Account",
    started: "Created",
    progress: "Progress",
    sandbox: "test mode",
    none: "No jobs",
    ofAccount: (email: string | undefined) =>
      email ? `Only jobs of ${email}.` : "Only jobs of one account.",
    allAccounts: "Show all accounts",
    pause: "Pause",
    resume: "Resume",
    cancel: "Cancel job",
    keep: "Keep job",
    actionOn: (action: string, filename: string) => `${action}: ${filename}`,
    cancelTitle: "Cancel this job?",
    cancelText: (filename: string, email: string) =>
      `${filename} of ${email} ends with the verdicts it has so far. These are charged, and the remaining credits are returned.`,
  },

  manage: {
    plan: "Plan",
    planHint: "Applies from the next request, including its API keys.",
    changePlan: "Change plan",
    limits: (plan: string) => `Limits of ${plan}`,
  },

  grant: {
    direction: "Grant or deduct credits",
    grant: "Grant",
    deduct: "Deduct",
    credits: "Credits",
    amountMissing: "Enter a number of credits.",
    tooMany: (available: number) => `Only ${common.credits(available)} available.`,
    note: "Note",
    noteHint: "Shown in the account's ledger. Optional.",
    submitGrant: "Grant credits",
    submitDeduct: "Deduct credits",
    done: (balance: number) => `Done. The balance is ${common.credits(balance)}.`,
  },

  system: {
    title: "System",
    intro: "Processes, queue and sending reputation. Refreshes every 5 seconds.",
    jobs: "Active jobs",
    jobsHint: (queued: number, paused: number) =>
      `${formatNumber(queued)} queued, ${formatNumber(paused)} paused`,
    rate: "Rows per second",
    rateHint: "Verdicts of all jobs",
    processes: "Processes",
    version: (version: string) => `Version ${version}`,
    database: "Database",
    embedded: "Embedded",
    external: "DATABASE_URL",
  },

  processes: {
    title: "Processes",
    roles: { all: "API and worker", api: "API", worker: "Worker" } satisfies Record<
      SystemProcess["role"],
      string
    >,
    role: "Role",
    host: "Host",
    hostAndPid: (host: string, pid: number) => `${host}, process ${pid}`,
    started: "Started",
    heartbeat: "Last heartbeat",
    ago: (duration: string) => `${duration} ago`,
    overdue: "Overdue",
  },

  queue: {
    title: "Queue",
    intro: "Due tasks can start now. Other waiting tasks are scheduled for later or paused.",
    names: { jobs: "Jobs", rechecks: "Rechecks", webhooks: "Webhooks" },
    queue: "Queue",
    waiting: "Waiting",
    due: "Due",
    in_hand: "Running",
    longestWait: "Longest wait",
  },

  deadLetters: {
    title: "Dead letters",
    intro:
      "Tasks that failed repeatedly and are not retried. Emails of a failed slice are reported as internal errors and not charged.",
    none: "No failed tasks in the last 30 days",
    task: "Task",
    error: "Error",
    failedAt: "Failed",
    kinds: {
      plan: "List planning",
      slice: "Slice of a list",
      action: "Finish job",
      recheck: "Recheck",
      delivery: "Webhook delivery",
    },
    attempts: (failures: number, losses: number) =>
      losses > 0 ? `${failures} failures, ${losses} process exits` : `${failures} failures`,
    more: (count: number) => `${count} more are not shown.`,
    redrive: "Redrive",
  },

  egress: {
    title: "Outbound connectivity",
    intro:
      "Verdicts depend on how mail servers see this installation: port 25, IP address and PTR name, blocklists.",
    run: "Run diagnostics",
    running: "Running. This takes up to 30 seconds.",
    checkedAt: (at: ReactNode) => <>Last run {at}.</>,
    never: "Not run since start",
    outcomes: {
      good: "OK",
      warning: "Warning",
      bad: "Problem",
      unknown: "Unknown",
    } satisfies Record<DoctorFinding["outcome"], string>,
    /** Name of a check, capitalised unless it is a host name. */
    check: (name: string) => (name.includes(".") ? name : name.charAt(0).toUpperCase() + name.slice(1)),
  },

  identities: {
    title: "Egress identities",
    intro:
      "Addresses and names that mail servers see. Each has its own limits; one that is blocked is replaced by the next.",
    name: "Identity",
    origin: "Address or proxy",
    machine: "Address of the machine",
    down: "Down",
    names: "EHLO name and sender",
    today: "Sessions today",
    ofCap: (today: number, cap: number | null) =>
      cap === null ? formatNumber(today) : `${formatNumber(today)} of ${formatNumber(cap)}`,
    usedUp: "Cap reached",
    blocked: "Blocked at",
    blockedAt: (shown: readonly string[], total: string) =>
      shown.length > 0 ? shown.join(", ") : `${total} hosts`,
    providers: (providers: readonly string[]) => `Only ${formatList(providers)}`,
    share: (share: number) => `Share ${formatNumber(share)}`,
    owner: (owner: string) => `Owned by ${owner}`,
  },

  providers: {
    title: "Mail providers",
    refuses: (provider: string, since: ReactNode) => (
      <>
        {provider} refuses this installation since {since}
      </>
    ),
    lists: (list: string, since: ReactNode) => (
      <>
        The blocklist {list} has the address of this installation, noticed {since}
      </>
    ),
    fromIdentity: (provider: string, identity: string) => `${provider} (from ${identity})`,
    waits: "Rows of lists wait, and are refunded if it does not relent.",
    retryAt: (at: ReactNode) => <>Next attempt after {at}.</>,
    removal: "Request removal",
    slowed: (providers: readonly string[]) => `Slowed down by ${formatList(providers)}.`,
  },

  throttling: {
    title: "Throttling",
    intro: "Hosts and providers that asked us to slow down. Hosts that keep refusing us are paused.",
    none: "No host is throttled.",
    host: "Host or provider",
    fromIdentity: (identity: string) => `From ${identity}`,
    concurrency: "Concurrency",
    delay: "Delay",
    milliseconds: (ms: number) => `${formatNumber(ms)} ms`,
    breaker: "Breaker",
    open: "Open",
    until: (at: ReactNode) => <>until {at}</>,
    closed: "Closed",
    reply: "Server reply",
  },

  lists: {
    title: "Reference lists",
    summary: (domains: number, isPackaged: boolean, ageDays: number, isDaily: boolean) =>
      `${formatNumber(domains)} disposable domains, ${isPackaged ? "as released" : "refreshed"}, ${common.days(ageDays)} old. ${
        isDaily ? "Refreshed daily." : "Automatic refresh is off (LISTS_REFRESH)."
      }`,
    failed: (at: ReactNode, reason: string) => (
      <>
        Last refresh failed {at}: {reason}
      </>
    ),
  },

  adjudicator: {
    title: "Language model",
    intro: (model: string) =>
      `${model} gives a second opinion on ambiguous mailbox names. If it fails, the local model decides.`,
    budget: (asked: number, budget: number) =>
      `${formatNumber(asked)} of ${plural(budget, "request")} used today (UTC).`,
    counts: (answered: number, cached: number, failed: number, skipped: number) =>
      `Since the start of this process: ${formatNumber(answered)} answered, ${formatNumber(cached)} cached, ${formatNumber(failed)} failed, ${formatNumber(skipped)} skipped.`,
    paused: (until: ReactNode) => <>Paused until {until} after repeated failures.</>,
  },
};
