/**
 * Who makes a request: an account, by one of its API keys or by a session of the web app, in live or test mode; or an
 * operator, by a session or an operator key.
 */
import type { KeyScope, OperatorScope, Plan } from "@mailvet/contract";

export type Caller = Owner & {
  plan: Plan;
  isOperator: boolean;
  /** An operator who must sign in with two factors before using these rights. */
  needsTwoFactor?: boolean;
  /** Why the account is suspended, which refuses every request. */
  suspendedFor?: string | null;
  by: ByKey | BySession | ByOperatorKey;
};

/**
 * To whom uploads, jobs and webhook endpoints belong. Live and test mode are separate: what was made in one does not
 * exist in the other.
 */
export type Owner = {
  accountId: string;
  /** Test mode: opens no connections and is never charged. A test key, or a session that asks for it. */
  isTest: boolean;
};

export type ByKey = { kind: "key"; keyId: string; scopes: readonly KeyScope[] };

export type BySession = { kind: "session"; sessionId: string };

/** On operator endpoints only. */
export type ByOperatorKey = { kind: "operator_key"; keyId: string; scopes: readonly OperatorScope[] };
