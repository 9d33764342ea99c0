/** Texts of the operator pages: accounts and system. */
import type { DoctorFinding, SystemProcess } from "@mailvet/contract";
import type { ReactNode } from "react";
import { formatNumber, plural } from "../../components/number-format.ts";
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
    balance: (balance: number, reserved: number) =>
      `${common.credits(balance)}${reserved > 0 ? `, ${common.reservedForJobs(reserved)}` : ""}`,
    created: (at: ReactNode) => <>created {at}</>,
    manage: "Plan and credits",
    manageOf: (email: string) => `Plan and credits of ${email}`,
  },

  manage: {
    title: "Plan and credits",
    balance: (balance: number, reserved: number) =>
      `${common.credits(balance)} available, ${common.reservedForJobs(reserved)}`,
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
    now: "just now",
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
    providers: (providers: readonly string[]) => `Only ${providers.join(", ")}`,
    share: (share: number) => `Share ${formatNumber(share)}`,
    owner: (owner: string) => `Owned by ${owner}`,
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
