export * from "./accounts.ts";
export * from "./headers.ts";
export * from "./jobs.ts";
export * from "./plans.ts";
export * from "./problems.ts";
export * from "./validation.ts";
export * from "./verdict.ts";
export * from "./webhooks.ts";
