/** Presents an account in the shape of the contract. */
import type { Account, Plan } from "@mailvet/contract";
import { PLAN_LIMITS } from "./plans.ts";

export type AccountRecord = {
  id: string;
  email: string;
  plan: Plan;
  isOperator: boolean;
  createdAt: Date;
  balance: number;
  reserved: number;
};

export function presentAccount(account: AccountRecord): Account {
  return {
    id: account.id,
    email: account.email,
    plan: account.plan,
    is_operator: account.isOperator,
    created_at: account.createdAt.toISOString(),
    credits: { balance: account.balance, reserved: account.reserved },
    limits: PLAN_LIMITS[account.plan],
  };
}
