/** Audit log of all accounts, for operators. */
import { OperatorOnly } from "../operator/operator-only.tsx";
import { AuditView } from "./audit-view.tsx";
import { messages } from "./messages.tsx";

export function Page() {
  return (
    <OperatorOnly title={messages.operatorTitle}>
      <AuditView scope="installation" />
    </OperatorOnly>
  );
}
