/** Accounts of the demo and their credentials. The demo listens on this machine only, so nothing here is a secret. */
import type { Plan } from "@mailvet/contract";

export const DEMO = {
  email: "demo@mailvet.test",
  password: "try every page",
  /** A text with the right checksum, so that it looks and works like any other key. */
  apiKey: "mv_live_DemoDemoDemoDemoDemoDemoDemoDemo2RsMIm",
};

export const OPERATOR = { email: "operator@mailvet.test", password: "operate the demo" };

/** Fill the operator's list of accounts. They have no password, so signing in is not possible. */
export const OTHER_ACCOUNTS: readonly { email: string; plan: Plan; credits: number; opened: number }[] = [
  { email: "team@shop.example", plan: "enterprise", credits: 480_000, opened: 412 },
  { email: "data@agency.example", plan: "starter", credits: 9_350, opened: 203 },
  { email: "dev@startup.example", plan: "payg", credits: 1_204, opened: 97 },
  { email: "news@club.example", plan: "payg", credits: 38, opened: 58 },
  { email: "hello@bakery.example", plan: "free", credits: 100, opened: 6 },
];
