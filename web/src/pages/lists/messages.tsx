/** Texts of the pages of saved lists, and of the dialog that saves one. */
import type { ListSchedule } from "@mailvet/contract";
import type { ReactNode } from "react";
import { formatNumber, plural } from "../../components/number-format.ts";
import { common } from "../../messages.ts";

/** What a schedule costs per period, and for how long the credits last. */
export type ScheduleCost = { emails: number; everyDays: number; balance: number; daysLeft: number };

const PERIODS: Readonly<Record<number, string>> = { 1: "a day", 7: "a week", 30: "a month" };

const timeOf = (days: number) =>
  days % 7 === 0 || days > 60
    ? plural(Math.floor(days / 7), "week")
    : days % 30 === 0
      ? plural(days / 30, "month")
      : plural(days, "day");

export const messages = {
  title: "Saved lists",
  intro: "Lists that are kept and checked again on a schedule.",
  list: "Lists",
  none: "No lists yet",
  noneText:
    "Save a completed job as a list. It is kept, and you see which emails have become invalid since the last run.",
  toJobs: "Go to jobs",
  allLists: "← All lists",
  notFound: {
    title: "List not found",
    reason: "It may have been deleted",
    hint: "Or it belongs to another account, or the link is mistyped.",
    back: "Go to saved lists",
  },
  tags: "Tags",
  columns: { name: "Name", tags: "Tags", schedule: "Schedule", lastRun: "Last run", nextRun: "Next run" },

  schedules: {
    daily: "Checked every day",
    weekly: "Checked every week",
    monthly: "Checked every month",
  } satisfies Record<ListSchedule, string>,
  noSchedule: "No schedule",
  savedAt: (at: ReactNode) => <>saved {at}</>,
  changes: (newlyInvalid: number, recovered: number) =>
    newlyInvalid + recovered === 0
      ? "Nothing has changed"
      : `${formatNumber(newlyInvalid)} newly invalid, ${formatNumber(recovered)} recovered`,

  page: {
    failed: "The list could not be loaded",
    notRun: "The last run did not start",
    openJob: "Show results",
    running: (done: number, total: number) => `Being checked: ${common.emailsOf(done, total)}.`,
    figures: {
      emails: "Emails",
      valid: (share: string) => `${share} valid`,
      newlyInvalid: "Newly invalid",
      recovered: "Recovered",
      inLastRun: "in the last run",
      nextRun: "Next run",
      lastRun: (at: ReactNode) => <>last run {at}</>,
      notYet: "not run yet",
    },
    changed: {
      title: "What has changed",
      intro: "Emails that have become valid or invalid in the last run.",
      none: "Nothing has changed since the run before.",
      notChecked: "Shown after the list has been checked again.",
      now: "Now",
      before: "Before",
      first: (count: number) =>
        `The first ${formatNumber(count)}; the download of the results has all of them.`,
    },
    settings: "Settings",
    delete: {
      title: "Delete list",
      intro: "Ends the schedule. The job and its results are then deleted after the usual retention.",
      confirmTitle: "Delete this list?",
      text: (name: string) => `“${name}” is not checked again.`,
      keep: "Keep list",
    },
  },

  form: {
    name: "Name",
    tags: "Tags",
    tagsHint: "Separated by commas.",
    tooManyTags: "Up to 20 tags with up to 50 characters each.",
    schedule: "Schedule",
    never: "Never",
    choices: { daily: "Every day", weekly: "Every week", monthly: "Every month" } satisfies Record<
      ListSchedule,
      string
    >,
    daysOutOfRange: (limit: number) => `Enter 1 to ${limit} days.`,
    staleAfter: "Recheck results older than (days)",
    staleHint: "Unknown results are always checked again. Each check costs one credit.",
    cost: ({ emails, everyDays, balance, daysLeft }: ScheduleCost) =>
      `About ${common.credits(emails)} ${PERIODS[everyDays] ?? `every ${everyDays} days`}, ${formatNumber(balance)} left: ${daysLeft === 0 ? "not enough for one run" : timeOf(daysLeft)}.`,
  },
  save: {
    button: "Save as list",
    title: "Save as list",
    open: "Open list",
    intro: "Rows and results are kept until you delete the list.",
  },
};
