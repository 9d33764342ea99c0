/** Administration of an installation, for a signed-in operator or with an operator key as the API key. */
import type {
  Account,
  CreatedOperatorKey,
  DeadLetter,
  DoctorReport,
  LedgerEntry,
  OperatorKey,
  OperatorScope,
  Plan,
  System,
} from "@mailvet/contract";
import { auditMethods, type OperatorAuditMethods } from "./audit-methods.ts";
import { expiryText } from "./key-methods.ts";
import type { Page, PageQuery, Requests } from "./requests.ts";
import type { CallOptions, OpenStream } from "./transport.ts";

export type OperatorMethods = {
  /** Newest first. */
  accounts(query?: AccountsQuery, options?: CallOptions): Promise<Page<Account>>;
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
  deadLetters(query?: PageQuery, options?: CallOptions): Promise<Page<DeadLetter>>;
  /** Queues the task again and removes the dead letter. */
  redrive(deadLetterId: string, options?: CallOptions): Promise<void>;
  /** Who did what, in all accounts or in one. */
  audit: OperatorAuditMethods;
  /** Keys for operator endpoints; needs a session. */
  keys: OperatorKeyMethods;
};

export type OperatorKeyMethods = {
  /** Those of all operators, newest first, including recently revoked ones. */
  list(options?: CallOptions): Promise<OperatorKey[]>;
  /** The response contains the secret, which is not shown again. */
  create(key: NewOperatorKey, options?: CallOptions): Promise<CreatedOperatorKey>;
  /** The key is refused from then on. */
  revoke(keyId: string, options?: CallOptions): Promise<void>;
};

export type NewOperatorKey = {
  name: string;
  scopes: OperatorScope[];
  /** Addresses and CIDR ranges from which the key works. Default: everywhere. */
  allowedRanges?: string[] | undefined;
  /** Default: never. */
  expiresAt?: Date | string | undefined;
};

export type AccountsQuery = PageQuery & {
  /** Substring of the email. */
  search?: string | undefined;
};

export function operatorMethods(requests: Requests, open: OpenStream): OperatorMethods {
  const pathOf = (accountId: string) => `/operator/accounts/${encodeURIComponent(accountId)}`;
  return {
    accounts: ({ skip, limit, search } = {}, options) =>
      requests.page("/operator/accounts", { query: { skip, limit, search }, ...options }),
    account: (accountId, options) => requests.get(pathOf(accountId), options),
    setPlan: (accountId, plan, options) => requests.patch(pathOf(accountId), { plan }, options),
    grant: (accountId, { amount, note }, options) =>
      requests.post(`${pathOf(accountId)}/grants`, { amount, note }, options),
    system: (options) => requests.get("/operator/system", options),
    runDoctor: (options) => requests.postUnkeyed("/operator/system/doctor", undefined, options),
    deadLetters: ({ skip, limit } = {}, options) =>
      requests.page("/operator/dead-letters", { query: { skip, limit }, ...options }),
    redrive: (deadLetterId, options) =>
      requests.postUnkeyed(
        `/operator/dead-letters/${encodeURIComponent(deadLetterId)}/redrive`,
        undefined,
        options,
      ),
    audit: auditMethods(requests, open, "/operator/audit"),
    keys: {
      list: (options) => requests.get("/operator/keys", options),
      create: ({ name, scopes, allowedRanges, expiresAt }, options) => {
        const expires_at = expiryText(expiresAt);
        const key = { name, scopes, allowed_ranges: allowedRanges, expires_at };
        return requests.post("/operator/keys", key, options);
      },
      revoke: (keyId, options) => requests.delete(`/operator/keys/${encodeURIComponent(keyId)}`, options),
    },
  };
}
