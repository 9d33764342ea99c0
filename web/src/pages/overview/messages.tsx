/** Texts of the overview. */
import type { ReactNode } from "react";

export const messages = {
  title: "Overview",
  intro: (days: number) => `Your account in the last ${days} days.`,
  checkAddress: "Check an address",
  uploadList: "Upload a list",
  verdictsPerDay: "Verdicts per day",
  recentJobs: "Recent jobs",
  allJobs: "All jobs",
  noJobs: "No jobs yet",
  noJobsText: "Upload a CSV file and get it back with a verdict for each address.",

  stats: {
    credits: "Credits available",
    viewLedger: "View ledger",
    checked: "Addresses checked",
    inDays: (days: number) => `in the last ${days} days`,
    safe: "Safe to send",
    safeHint: "of all checked addresses",
    acceptance: "Acceptance rate",
    acceptanceHint: "valid, excluding unknown",
  },

  start: {
    title: "Get started",
    done: "done",
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
    callText: "Replace the placeholder with your full key.",
    callUnavailable: "Your plan does not include the API. Ask your administrator for access.",
    upload: "Upload a list",
    uploadText: (link: ReactNode) => <>{link}, choose the email column, and see the cost before it starts.</>,
    uploadLink: "Drop a CSV file",
  },
};
