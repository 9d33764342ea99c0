/** Scopes of operator keys. Without schemas, so that the web app can include the table. */

/** What an operator key may do. Each operator endpoint names its scope in its route. */
export const OPERATOR_SCOPES = {
  "accounts:read": "List and read accounts",
  "accounts:write": "Open, suspend and resume accounts, change plans and emails, end sessions",
  "accounts:export": "Export accounts with their lists and results",
  "accounts:erase": "Erase accounts",
  "credits:write": "Grant and deduct credits",
  "jobs:read": "List jobs and dead letters",
  "jobs:write": "Pause, resume and cancel jobs, redrive dead letters",
  "system:read": "Read the system status and run diagnostics",
  "audit:read": "Read and export the audit log of all accounts",
} as const satisfies Record<string, string>;
export type OperatorScope = keyof typeof OPERATOR_SCOPES;
export const OPERATOR_SCOPE_NAMES = Object.keys(OPERATOR_SCOPES) as OperatorScope[];
