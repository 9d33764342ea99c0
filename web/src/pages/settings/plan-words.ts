/** Plans and their limits in words. */
import type { Plan, PlanLimits } from "@mailvet/contract";
import { plural } from "../../shared/number-format.ts";

export const PLAN_NAMES: Readonly<Record<Plan, string>> = {
  free: "Free",
  payg: "Pay as you go",
  starter: "Starter",
  growth: "Growth",
  enterprise: "Enterprise",
};

export function limitsInWords(limits: PlanLimits): string[] {
  return [
    limits.api_access
      ? "The web app and the API"
      : "The web app. The API is not included: keys begin to work on a paid plan",
    `${plural(limits.requests_per_minute, "request")} per minute, ${limits.api_access ? "for each key" : "in the web app"}`,
    `${plural(limits.concurrent_requests, "request")} at the same time`,
    `Files of up to ${plural(limits.emails_per_file, "email")}`,
    `${plural(limits.active_jobs, "job")} at a time`,
  ];
}
