/** Who makes a request: an account, by one of its API keys or by a session of the web app. */
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
  /** A test key: opens no connections and is never charged. */
  isTest: boolean;
};

export type BySession = { kind: "session"; sessionId: string };

export function isTestCaller({ by }: Pick<Caller, "by">): boolean {
  return by.kind === "key" && by.isTest;
}
