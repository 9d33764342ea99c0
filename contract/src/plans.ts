/** Plans of an account. Their limits are a table of the service. */
export const PLANS = ["free", "payg", "starter", "growth", "enterprise"] as const;
export type Plan = (typeof PLANS)[number];
