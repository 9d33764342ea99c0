/** Texts of the operator keys page. */
import { OPERATOR_SCOPES } from "@mailvet/contract";
import type { ReactNode } from "react";

export const messages = {
  title: "Operator keys",
  intro: (header: ReactNode) => (
    <>
      For scripts that do operators' work. Send the key in the {header} header to operator endpoints; it works
      nowhere else.
    </>
  ),
  create: "Create key",
  none: "No operator keys yet",
  noneText: "Create a key to manage accounts, credits and dead letters without a browser.",
  scopes: OPERATOR_SCOPES,
  form: {
    name: "Name",
    nameHint: "What will use this key?",
    namePlaceholder: "Billing script",
    scopes: "Scopes",
    scopesHint: "Grant only what is needed.",
    scopesMissing: "Choose at least one scope.",
    ranges: "Allowed addresses",
    rangesHint: "IP addresses or CIDR ranges, one per line. Leave empty to allow every address.",
    rangesPlaceholder: "192.0.2.10\n2001:db8::/48",
  },
  created: {
    title: "Operator key created",
    label: "key",
    text: (name: ReactNode) => (
      <>This is the key for {name}. Store it somewhere safe. You won't see it again.</>
    ),
  },
  columns: { name: "Key", scopes: "Scopes", allowed: "Allowed from", used: "Last used", state: "Expires" },
  everywhere: "Everywhere",
  createdBy: (email: string, at: ReactNode) => (
    <>
      {email}, {at}
    </>
  ),
  deletedOperator: "Deleted account",
  never: "Never",
  revoked: "Revoked",
  expired: "Expired",
  revoke: {
    button: "Revoke",
    of: (name: string) => `Revoke ${name}`,
    title: "Revoke this operator key?",
    confirm: "Revoke key",
    cancel: "Keep key",
    text: (name: ReactNode, prefix: string) => (
      <>
        Requests with {name} ({prefix}…) are rejected at once. This can't be undone.
      </>
    ),
  },
};
