/** Audit log of the account. */
import { AuditView } from "./audit-view.tsx";

export function Page() {
  return <AuditView scope="account" />;
}
