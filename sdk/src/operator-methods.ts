/** What the operator of an installation may ask and change, signed in. */
import type { Account, DoctorReport, LedgerEntry, Plan, System } from "@mailvet/contract";
import type { CallOptions, Connection } from "./connection.ts";
import { onceKey } from "./once-key.ts";

export type OperatorMethods = {
  /** Newest first. */
  accounts(query?: AccountsQuery, options?: CallOptions): Promise<{ items: Account[]; total: number }>;
  account(accountId: string, options?: CallOptions): Promise<Account>;
  setPlan(accountId: string, plan: Plan, options?: CallOptions): Promise<Account>;
  /** A negative amount takes credits back, at most what is there. */
  grant(
    accountId: string,
    grant: { amount: number; note?: string },
    options?: CallOptions,
  ): Promise<LedgerEntry>;
  /** How the installation is doing. */
  system(options?: CallOptions): Promise<System>;
  /** Looks at everything outside that verdicts depend on. Takes up to half a minute; soon after, the same report again. */
  runDoctor(options?: CallOptions): Promise<DoctorReport>;
};

export type AccountsQuery = {
  skip?: number | undefined;
  limit?: number | undefined;
  /** Part of the email. */
  search?: string | undefined;
};

export function operatorMethods(connection: Connection): OperatorMethods {
  const pathOf = (accountId: string) => `/operator/accounts/${encodeURIComponent(accountId)}`;
  return {
    async accounts({ skip, limit, search } = {}, options) {
      const query = { skip, limit, search };
      const call = { method: "GET", path: "/operator/accounts", query, ...options } as const;
      const { body, count } = await connection<Account[]>(call);
      return { items: body, total: count("x-total-count") ?? body.length };
    },
    async account(accountId, options) {
      return (await connection<Account>({ method: "GET", path: pathOf(accountId), ...options })).body;
    },
    async setPlan(accountId, plan, options) {
      const call = { method: "PATCH", path: pathOf(accountId), body: { plan }, ...options } as const;
      return (await connection<Account>(call)).body;
    },
    async grant(accountId, { amount, note }, options) {
      const path = `${pathOf(accountId)}/grants`;
      const call = {
        method: "POST",
        path,
        body: { amount, note },
        idempotencyKey: onceKey(),
        ...options,
      } as const;
      return (await connection<LedgerEntry>(call)).body;
    },
    async system(options) {
      return (await connection<System>({ method: "GET", path: "/operator/system", ...options })).body;
    },
    async runDoctor(options) {
      const call = { method: "POST", path: "/operator/system/doctor", ...options } as const;
      return (await connection<DoctorReport>(call)).body;
    },
  };
}
