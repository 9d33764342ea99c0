/** Texts of the usage page: credits, usage, bounce feedback, ledger. */
import type { LedgerEntry, StatementKind, Status } from "@mailvet/contract";
import type { ReactNode } from "react";
import { formatNumber, plural } from "../../components/number-format.ts";
import { common } from "../../messages.ts";

const PREDICTED = "Predicted";
const CALIBRATED = "After learning";
const ACTUAL = "Actual";

export const messages = {
  title: "Usage and credits",
  intro: "One credit per verdict. Duplicates and failed requests are free.",

  balance: {
    available: "Available",
    plan: (plan: string) => `Plan: ${plan}`,
    outOfCredits: `You are out of credits. ${common.askForCredits}`,
    reserved: "Reserved",
    reservedHint: "For running jobs; unused credits are returned.",
  },

  usage: {
    title: "Usage",
    range: "Time range",
    days: (days: number) => common.days(days),
    key: "API key",
    allKeys: "All keys",
    webApp: "Web app",
    revokedKey: (name: string) => `${name} (revoked)`,
    unnamedKey: (shortId: string) => `Key ${shortId}`,
    download: "Download CSV",
    none: (days: number) => `No checks in the last ${common.days(days)}`,
    noneText: "Every address with a verdict is counted here, by day and key.",
    checkAddress: "Check an address",
    total: (addresses: number, credits: number) =>
      `${common.addresses(addresses)} checked for ${common.credits(credits)}`,
    byKey: "By key",
    keyColumn: "Key",
    checked: "Checked",
    credits: "Credits",
  },

  chart: {
    label: (days: number, addresses: number, counts: string) =>
      `Bar chart of the last ${days} days: ${common.addresses(addresses)} checked, ${counts}.`,
    count: (count: number, status: Status) => `${formatNumber(count)} ${status}`,
    total: "Total",
    totalBefore: "Period before",
    /** "Previous 30 days: 1,234 addresses" */
    before: (days: number, addresses: number) =>
      `Previous ${common.days(days)}: ${common.addresses(addresses)}`,
    change: (change: string) => `${change} since`,
    points: (points: number) => `${points < 0 ? "−" : "+"}${plural(Math.abs(points), "point")}`,
    utc: "Days in UTC.",
    showTable: "Show table",
    hideTable: "Hide table",
    table: "Verdicts per day",
    noneInRange: "No checks in this period.",
    caption: "Days without checks are omitted.",
    day: "Day",
  },

  feedback: {
    title: "Bounce feedback",
    intro: "Upload delivery results to improve your scores. Free, and used for your account only.",
    none: "No feedback yet",
    noneText:
      "Check a list, send to it, then upload your mail service's export: a file with each email and its result, such as delivered, bounced or complained. Or use the API:",
    command: "command",
    totals: (total: number, delivered: number, bounced: number, complained: number) =>
      `${common.mailboxes(total)} with a result: ${formatNumber(delivered)} delivered, ${formatNumber(bounced)} bounced, ${formatNumber(complained)} complained.`,
    comparison: (mailboxes: number, actual: ReactNode, predicted: string, calibrated: string) => (
      <>
        Of {common.mailboxes(mailboxes)} checked before, {actual} bounced. Predicted {predicted}; after
        learning {calibrated}.
      </>
    ),
    notComparable:
      "None of them was checked here before, so there is nothing to compare yet. Check a list before you send to it, then upload the delivery results.",

    upload: "Upload delivery results",
    uploadHint: "Drop your mail service's export here, or choose it. Columns are detected automatically.",
    uploadInput: "File with delivery results",
    reading: (name: string) => `Reading ${name}…`,
    rejected: (name: string) => `${name} was rejected`,
    stored: (stored: number, rows: number) => `${formatNumber(stored)} of ${common.rows(rows)} stored`,
    matched: (name: string, matched: number) => `From ${name}. ${common.mailboxes(matched)} checked before.`,
    superseded: (count: number) => `${common.rows(count)} skipped: we already have newer results`,
    ignored: (count: number) =>
      `${common.rows(count)} ignored: soft bounce, delay, sandbox address, or too old`,
    unreadable: (count: number) => `${common.rows(count)} not readable`,
    unreadableRow: (row: number, reason: string) => `Row ${row}: ${reason}`,
    more: (count: number) => `and ${plural(count, "more row")}`,

    delete: "Delete all feedback",
    deleteTitle: "Delete all feedback?",
    deleteConfirm: "Delete feedback",
    deleteCancel: "Keep feedback",
    deleteText:
      "All delivery results are permanently deleted, and your scores are no longer adjusted by them.",

    bars: { predicted: PREDICTED, calibrated: CALIBRATED, real: ACTUAL },
    week: (week: string) => `Week of ${week}`,
    results: "Results",
    noChart: "Bounce rates per week: no data yet.",
    chart: (weeks: number, predicted: string, calibrated: string, actual: string) =>
      `Bar chart of bounce rates in ${plural(weeks, "week")}. Last week: ${predicted} predicted, ${calibrated} after learning, ${actual} actual.`,

    groupBy: "Group by",
    table: (view: string) => `Bounce rates, ${view.toLowerCase()}`,
    views: {
      week: ["By week", "Week of"],
      score: ["By score", common.score],
      provider: ["By provider", "Provider"],
    },
    columns: [PREDICTED, CALIBRATED, ACTUAL, "Results"],
  },

  ledger: {
    title: "Ledger",
    intro: "Credits are reserved while a job runs and spent per verdict. Unused credits are returned.",
    entries: "Ledger entries",
    none: "No entries yet",
    noneText: "Credits you receive or spend are listed here.",
    noSuchPage: "No such page",
    firstPage: "Go to first page",
    filter: "Filter the ledger",
    filters: { all: "All", job: "Jobs", checks: "Checks", grant: "Grants" },
    kindNames: { job: "Job", grant: "Grant" } satisfies Record<Exclude<StatementKind, "checks">, string>,
    checksOf: (day: string) => `Checks on ${day}`,
    refundedOf: (refunded: number, charged: number) =>
      `${formatNumber(charged)} charged, ${formatNumber(refunded)} refunded`,
    reservedNow: (count: number) => `${formatNumber(count)} reserved`,
    showEntries: (count: number) => `Show ${plural(count, "entry", "entries")}`,
    hideEntries: "Hide entries",
    latestEntries: (shown: number, total: number) =>
      `The latest ${formatNumber(shown)} of ${formatNumber(total)}.`,
    reservedChange: (change: string) => `${change} reserved`,
    balanceAfter: (balance: number) => `${formatNumber(balance)} left`,
    request: (id: string) => `Request ${id}`,
    job: (shortId: string) => `Job ${shortId}`,
    kinds: {
      grant: "Credits granted",
      adjust: "Credits deducted",
      reserve: "Reserved",
      settle: "Spent",
      release: "Returned",
      refund: "Refunded",
    } satisfies Record<LedgerEntry["kind"], string>,
  },
};
