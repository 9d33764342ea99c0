/** Plans and their limits in words. */
import type { Plan, PlanLimits } from "@mailvet/contract";
import { counted } from "../../parts/counted.ts";

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
    `${counted(limits.requests_per_minute, "request")} per minute, ${limits.api_access ? "for each key" : "in the web app"}`,
    `${counted(limits.concurrent_requests, "request")} at the same time`,
    `Files of up to ${counted(limits.emails_per_file, "email")}`,
    `${counted(limits.active_jobs, "job")} at a time`,
  ];
}
