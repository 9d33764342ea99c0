/** The plans an account can be on. What each allows is one table of the service. */
export const PLANS = ["free", "payg", "starter", "growth", "enterprise"] as const;
export type Plan = (typeof PLANS)[number];
