/** Texts of the operator keys page. */
import { OPERATOR_SCOPES } from "@mailvet/contract";
import type { ReactNode } from "react";

export const messages = {
  title: "Operator keys",
  intro: (header: ReactNode) => (
    <>
      For scripts that manage this installation. Send the key in the {header} header. It works for operator
      endpoints only.
    </>
  ),
  none: "No operator keys yet",
  noneText: "Create a key to manage accounts, credits and dead letters without a browser.",
  scopes: OPERATOR_SCOPES,
  form: {
    namePlaceholder: "Billing script",
    ranges: "Allowed addresses",
    rangesHint: "IP addresses or CIDR ranges, one per line. Leave empty to allow every address.",
    rangesPlaceholder: "192.0.2.10\n2001:db8::/48",
  },
  created: "Operator key created",
  columns: { scopes: "Scopes", allowed: "Allowed from", createdBy: "Created by" },
  everywhere: "Everywhere",
  deletedOperator: "Deleted account",
};
