/** Presents an account in the shape of the contract. */
import type { Account, AccountState, OperatorAccount, Plan } from "@mailvet/contract";
import { TEST_CREDITS } from "../credits/test-credits.ts";
import { ACCOUNT_LIMITS, PLAN_LIMITS } from "./plans.ts";

export type AccountRecord = {
  id: string;
  email: string;
  plan: Plan;
  isOperator: boolean;
  createdAt: Date;
  suspendedAt: Date | null;
  balance: number;
  reserved: number;
};

/** An account as the operator sees it. */
export type ListedAccount = AccountRecord & {
  state: AccountState;
  suspendedReason: string | null;
  usedRecently: number;
  lastSeenAt: Date | null;
};

/** `isTest`: as its owner sees it in test mode, with simulated credits. */
export type PresentAccount = (account: AccountRecord, isTest?: boolean) => Account;

export function presentListed(presentAccount: PresentAccount, account: ListedAccount): OperatorAccount {
  return {
    ...presentAccount(account),
    state: account.state,
    suspended_at: account.suspendedAt?.toISOString() ?? null,
    suspended_reason: account.suspendedReason,
    credits_used_30d: account.usedRecently,
    last_seen_at: account.lastSeenAt?.toISOString() ?? null,
  };
}

/** Limits of this installation, which apply to every plan. */
export type FileLimits = { maxEmailsPerFile: number; maxUploadBytes: number };

export function createPresentAccount({ maxEmailsPerFile, maxUploadBytes }: FileLimits): PresentAccount {
  return (account, isTest = false) => {
    const ofPlan = PLAN_LIMITS[account.plan];
    return {
      id: account.id,
      email: account.email,
      plan: account.plan,
      is_operator: account.isOperator,
      created_at: account.createdAt.toISOString(),
      credits: isTest ? TEST_CREDITS : { balance: account.balance, reserved: account.reserved },
      limits: {
        ...ofPlan,
        ...ACCOUNT_LIMITS,
        emails_per_file: Math.min(maxEmailsPerFile, ofPlan.emails_per_file),
        file_bytes: maxUploadBytes,
      },
    };
  };
}
