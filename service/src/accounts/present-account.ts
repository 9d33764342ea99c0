/** Presents an account in the shape of the contract. */
import type { Account, Plan } from "@mailvet/contract";
import { ACCOUNT_LIMITS, PLAN_LIMITS } from "./plans.ts";

export type AccountRecord = {
  id: string;
  email: string;
  plan: Plan;
  isOperator: boolean;
  createdAt: Date;
  balance: number;
  reserved: number;
};

export type PresentAccount = (account: AccountRecord) => Account;

/** Limits of this installation, which apply to every plan. */
export type FileLimits = { maxEmailsPerFile: number; maxUploadBytes: number };

export function createPresentAccount({ maxEmailsPerFile, maxUploadBytes }: FileLimits): PresentAccount {
  return (account) => {
    const ofPlan = PLAN_LIMITS[account.plan];
    return {
      id: account.id,
      email: account.email,
      plan: account.plan,
      is_operator: account.isOperator,
      created_at: account.createdAt.toISOString(),
      credits: { balance: account.balance, reserved: account.reserved },
      limits: {
        ...ofPlan,
        ...ACCOUNT_LIMITS,
        emails_per_file: Math.min(maxEmailsPerFile, ofPlan.emails_per_file),
        file_bytes: maxUploadBytes,
      },
    };
  };
}
