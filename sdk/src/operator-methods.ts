/** Administration of an installation, for a signed-in operator. */
import type { Account, DeadLetter, DoctorReport, LedgerEntry, Plan, System } from "@mailvet/contract";
import { createIdempotencyKey } from "./idempotency-key.ts";
import type { CallOptions, SendRequest } from "./transport.ts";

export type OperatorMethods = {
  /** Newest first. */
  accounts(query?: AccountsQuery, options?: CallOptions): Promise<{ items: Account[]; total: number }>;
  account(accountId: string, options?: CallOptions): Promise<Account>;
  setPlan(accountId: string, plan: Plan, options?: CallOptions): Promise<Account>;
  /** A negative amount removes credits, at most the balance. */
  grant(
    accountId: string,
    grant: { amount: number; note?: string },
    options?: CallOptions,
  ): Promise<LedgerEntry>;
  /** Processes, queue, throttling and storage of the installation. */
  system(options?: CallOptions): Promise<System>;
  /** Runs diagnostics; takes up to 30 seconds. Returns the same report when called again soon after. */
  runDoctor(options?: CallOptions): Promise<DoctorReport>;
  /** Tasks that failed for good, newest first. */
  deadLetters(
    query?: DeadLettersQuery,
    options?: CallOptions,
  ): Promise<{ items: DeadLetter[]; total: number }>;
  /** Queues the task again and removes the dead letter. */
  redrive(deadLetterId: string, options?: CallOptions): Promise<void>;
};

export type DeadLettersQuery = { skip?: number | undefined; limit?: number | undefined };

export type AccountsQuery = {
  skip?: number | undefined;
  limit?: number | undefined;
  /** Substring of the email. */
  search?: string | undefined;
};

export function operatorMethods(send: SendRequest): OperatorMethods {
  const pathOf = (accountId: string) => `/operator/accounts/${encodeURIComponent(accountId)}`;
  return {
    async accounts({ skip, limit, search } = {}, options) {
      const query = { skip, limit, search };
      const call = { method: "GET", path: "/operator/accounts", query, ...options } as const;
      const { body, count } = await send<Account[]>(call);
      return { items: body, total: count("x-total-count") ?? body.length };
    },
    async account(accountId, options) {
      return (await send<Account>({ method: "GET", path: pathOf(accountId), ...options })).body;
    },
    async setPlan(accountId, plan, options) {
      const call = { method: "PATCH", path: pathOf(accountId), body: { plan }, ...options } as const;
      return (await send<Account>(call)).body;
    },
    async grant(accountId, { amount, note }, options) {
      const path = `${pathOf(accountId)}/grants`;
      const call = {
        method: "POST",
        path,
        body: { amount, note },
        idempotencyKey: createIdempotencyKey(),
        ...options,
      } as const;
      return (await send<LedgerEntry>(call)).body;
    },
    async system(options) {
      return (await send<System>({ method: "GET", path: "/operator/system", ...options })).body;
    },
    async runDoctor(options) {
      const call = { method: "POST", path: "/operator/system/doctor", ...options } as const;
      return (await send<DoctorReport>(call)).body;
    },
    async deadLetters({ skip, limit } = {}, options) {
      const call = {
        method: "GET",
        path: "/operator/dead-letters",
        query: { skip, limit },
        ...options,
      } as const;
      const { body, count } = await send<DeadLetter[]>(call);
      return { items: body, total: count("x-total-count") ?? body.length };
    },
    async redrive(deadLetterId, options) {
      const path = `/operator/dead-letters/${encodeURIComponent(deadLetterId)}/redrive`;
      await send<undefined>({ method: "POST", path, ...options });
    },
  };
}
