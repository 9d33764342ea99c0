/** Whose question it is, as far as the answer depends on it. */
import type { Caller } from "../caller.ts";
import type { CheckParameters } from "./check-options.ts";

export type Asker = CheckParameters & {
  accountId: string;
  /** By a test key: nobody outside is asked. */
  isTest: boolean;
  /** How often they were sent away so far, for those who keep count of it. */
  attempt?: number;
};

export function askerOf({ accountId, by }: Caller, options: CheckParameters = {}): Asker {
  return { accountId, isTest: by.kind === "key" && by.isTest, ...options };
}
