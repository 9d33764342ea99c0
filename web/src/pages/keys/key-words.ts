import type { KeyMode, KeyScope } from "@mailvet/contract";

export const MODES: Readonly<Record<KeyMode, { name: string; means: string }>> = {
  live: { name: "Live", means: "Asks real mail servers. Each different address costs a credit." },
  test: {
    name: "Test",
    means:
      "Answers from the sandbox: nobody is asked, nothing is charged, and the address names the verdict.",
  },
};

export const SCOPES: Readonly<Record<KeyScope, { name: string; allows: string }>> = {
  validate: {
    name: "Validate",
    allows: "Check one address at a time; tell what became of messages.",
  },
  bulk: {
    name: "Bulk",
    allows:
      "Check up to 1,000 addresses in one request, upload files, start and steer jobs, change webhooks, forget outcomes.",
  },
  read: {
    name: "Read",
    allows: "See jobs and their results, usage, credits, webhooks, and predicted and real bounces.",
  },
};

export const SCOPE_NAMES = Object.keys(SCOPES) as KeyScope[];
