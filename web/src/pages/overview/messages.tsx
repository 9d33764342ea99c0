/** Texts of the overview. */
import type { ReactNode } from "react";
import { formatNumber } from "../../components/number-format.ts";
import { common } from "../../messages.ts";

const sign = (value: number) => (value < 0 ? "−" : "+");

export const messages = {
  title: "Overview",
  intro: (days: number) => `Your account in the last ${days} days.`,
  checkAddress: "Check an address",
  uploadList: "Upload a list",
  verdictsPerDay: "Verdicts per day",
  recentJobs: "Recent jobs",
  allJobs: "All jobs",
  noJobs: "No jobs yet",
  noJobsText: "Upload a list and get it back with a verdict for each address.",

  stats: {
    credits: "Credits available",
    viewLedger: "View ledger",
    checked: "Addresses checked",
    inDays: (days: number) => `in the last ${days} days`,
    safe: "Safe to send",
    unknown: (share: string) => `${share} unknown`,
    points: (points: number, days: number) =>
      points === 0
        ? `no change from the previous ${days} days`
        : `${sign(points)}${formatNumber(Math.abs(points))} points on the ${days} days before`,
    change: (change: string, days: number) => `${change} on the ${days} days before`,
  },

  attention: {
    title: "Needs attention",
    noCredits: `No credits left. ${common.askForCredits}`,
    fewCredits: (balance: number) => `Only ${common.credits(balance)} left.`,
    viewCredits: "View credits",
    pausedJob: (filename: string) => `${filename} is paused.`,
    failedJob: (filename: string) => `${filename} failed.`,
    viewJob: "View job",
    failingWebhook: (name: string) => `Deliveries to ${name} are failing.`,
    disabledWebhook: (name: string) => `${name} was disabled after failed deliveries.`,
    viewWebhook: "View endpoint",
    expiringKey: (name: string, days: number) => `The key ${name} expires in ${common.days(days)}.`,
    viewKeys: "View keys",
  },

  start: {
    title: "Get started",
    progress: (done: number, all: number) => `${formatNumber(done)} of ${formatNumber(all)} done`,
    done: "done",
    open: "to do",
    check: "Check an address",
    checkText: (link: ReactNode) => (
      <>{link} (simulated), or any other address. You'll see every stage and the server's response.</>
    ),
    checkLink: "Try valid@mailvet.test",
    key: "Create an API key",
    keyText: (link: ReactNode) => <>A new key is shown once under {link}. Copy it then.</>,
    keyLink: "API keys",
    call: "Call the API",
    callLabel: "curl command",
    callText: "Replace YOUR_KEY with your full key.",
    callUnavailable: "Your plan does not include the API. Ask your administrator for access.",
    upload: "Upload a list",
    uploadText: (link: ReactNode) => <>{link}, choose the email column, and see the cost before it starts.</>,
    uploadLink: "Drop a file",
  },
};
