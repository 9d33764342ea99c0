/** Plans of an account. Their limits are in service/src/accounts/plans.ts. */
export const PLANS = ["free", "payg", "starter", "growth", "enterprise"] as const;
export type Plan = (typeof PLANS)[number];
