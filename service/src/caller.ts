/** The account that sends a request, authenticated by an API key or a web session. */
import type { KeyScope, Plan } from "@mailvet/contract";

export type Caller = {
  accountId: string;
  plan: Plan;
  isOperator: boolean;
  by: ByKey | BySession;
};

export type ByKey = {
  kind: "key";
  keyId: string;
  scopes: readonly KeyScope[];
  /** A test key: touches no network and is never charged. */
  isTest: boolean;
};

export type BySession = { kind: "session"; sessionId: string };
