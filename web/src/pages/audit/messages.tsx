/** Texts of the audit log pages. */
import { AUDIT_ACTIONS, type AuditActorKind } from "@mailvet/contract";

export const messages = {
  title: "Audit log",
  intro: "Sign-ins, keys, webhooks, plan and other changes of your account.",
  operatorTitle: "All audit logs",
  operatorIntro: "Sign-ins and changes in all accounts.",
  actions: AUDIT_ACTIONS,
  filters: {
    title: "Filters",
    action: "Action",
    every: "All actions",
    from: "From",
    to: "To",
    account: "Account ID",
    accountInvalid: "Enter the complete ID of an account.",
  },
  export: "Export CSV",
  more: "Show more",
  none: "No entries",
  noneText: "Nothing was recorded, or the filters exclude it.",
  columns: { time: "Time", action: "Action", actor: "By", account: "Account", network: "Network" },
  noAccount: "Unknown account",
  actors: {
    session: "Web app",
    api_key: "API key",
    operator_key: "Operator key",
    operator: "Operator",
    anonymous: "Not signed in",
    system: "Mailvet",
  } satisfies Record<AuditActorKind, string>,
  asOperator: (kind: string) => `Operator · ${kind}`,
  shortId: (id: string) => `${id.slice(0, 8)}…`,
  detail: (name: string, value: string | number | boolean) => `${name.replaceAll("_", " ")}: ${value}`,
};
