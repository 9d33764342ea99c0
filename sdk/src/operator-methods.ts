/** Administration of an installation, for a signed-in operator or with an operator key as the API key. */
import type {
  AccountSort,
  AccountState,
  ApiKey,
  CreatedOperatorKey,
  Credits,
  DeadLetter,
  DoctorReport,
  EmailChange,
  InvitedAccount,
  JobStatus,
  LedgerEntry,
  OperatorAccount,
  OperatorJob,
  OperatorKey,
  OperatorScope,
  Plan,
  SortOrder,
  System,
} from "@mailvet/contract";
import { auditMethods, type OperatorAuditMethods } from "./audit-methods.ts";
import { keyMethods } from "./key-methods.ts";
import type { Page, PageQuery, Requests } from "./requests.ts";
import type { CallOptions, IdempotentOptions, OpenStream } from "./transport.ts";

export type OperatorMethods = {
  /** Newest first, unless sorted otherwise. */
  accounts(query?: AccountsQuery, options?: CallOptions): Promise<Page<OperatorAccount>>;
  account(accountId: string, options?: CallOptions): Promise<OperatorAccount>;
  /** Opens an account. The invitation is sent by email; where there is none, the response has the link, once. */
  openAccount(wanted: NewAccount, options?: IdempotentOptions): Promise<InvitedAccount>;
  /** A new link for an account whose owner has not chosen a password yet. */
  inviteAgain(accountId: string, options?: IdempotentOptions): Promise<InvitedAccount>;
  /** Refuses its keys and sessions, pauses its jobs, holds its webhooks. The owner sees the reason. */
  suspend(accountId: string, reason: string, options?: IdempotentOptions): Promise<OperatorAccount>;
  resume(accountId: string, options?: IdempotentOptions): Promise<OperatorAccount>;
  /** Without `confirm: false`, the new address must be confirmed by a link, where the service sends email. */
  changeEmail(
    accountId: string,
    change: { email: string; confirm?: boolean },
    options?: IdempotentOptions,
  ): Promise<EmailChange>;
  endSessions(accountId: string, options?: IdempotentOptions): Promise<void>;
  /**
   * Deletes everything the account has; until that is done, its state is `erasing`. `email` confirms which one is meant.
   */
  erase(
    accountId: string,
    confirmation: { email: string; reason: string },
    options?: IdempotentOptions,
  ): Promise<OperatorAccount>;
  /** A ZIP file. */
  exportAccount(accountId: string, options?: CallOptions): Promise<Response>;
  keysOf(accountId: string, options?: CallOptions): Promise<ApiKey[]>;
  /** Balance and a page of the ledger, newest first. */
  creditsOf(accountId: string, page?: PageQuery, options?: CallOptions): Promise<Credits>;
  /** Jobs of all accounts, newest first. */
  jobs(query?: OperatorJobsQuery, options?: CallOptions): Promise<OperatorJob[]>;
  pauseJob(jobId: string, options?: IdempotentOptions): Promise<OperatorJob>;
  resumeJob(jobId: string, options?: IdempotentOptions): Promise<OperatorJob>;
  cancelJob(jobId: string, options?: IdempotentOptions): Promise<OperatorJob>;
  setPlan(accountId: string, plan: Plan, options?: CallOptions): Promise<OperatorAccount>;
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
  state?: AccountState | undefined;
  sort?: AccountSort | undefined;
  order?: SortOrder | undefined;
  /** ID of the last account of the previous page. */
  after?: string | undefined;
};

export type NewAccount = { email: string; plan?: Plan | undefined; credits?: number | undefined };

export type OperatorJobsQuery = {
  limit?: number | undefined;
  status?: JobStatus | undefined;
  accountId?: string | undefined;
  /** ID of the last job of the previous page. */
  after?: string | undefined;
};

export function operatorMethods(requests: Requests, open: OpenStream): OperatorMethods {
  const pathOf = (accountId: string) => `/operator/accounts/${encodeURIComponent(accountId)}`;
  const action =
    (collection: "accounts" | "jobs", name: string) =>
    <T>(id: string, options?: IdempotentOptions): Promise<T> =>
      requests.post(`/operator/${collection}/${encodeURIComponent(id)}/${name}`, undefined, options);
  return {
    accounts: ({ skip, limit, search, state, sort, order, after } = {}, options) =>
      requests.page("/operator/accounts", {
        query: { skip, limit, search, state, sort, order, after },
        ...options,
      }),
    account: (accountId, options) => requests.get(pathOf(accountId), options),
    openAccount: ({ email, plan, credits }, options) =>
      requests.post("/operator/accounts", { email, plan, credits }, options),
    inviteAgain: action("accounts", "invitation"),
    suspend: (accountId, reason, options) =>
      requests.post(`${pathOf(accountId)}/suspend`, { reason }, options),
    resume: action("accounts", "resume"),
    changeEmail: (accountId, { email, confirm }, options) =>
      requests.post(`${pathOf(accountId)}/email`, { email, confirm }, options),
    endSessions: action("accounts", "end-sessions"),
    erase: (accountId, { email, reason }, options) =>
      requests.post(`${pathOf(accountId)}/erase`, { email, reason }, options),
    exportAccount: (accountId, options) =>
      open({ method: "GET", path: `${pathOf(accountId)}/export`, accept: "application/zip", ...options }),
    keysOf: (accountId, options) => requests.get(`${pathOf(accountId)}/keys`, options),
    creditsOf: (accountId, { skip, limit } = {}, options) =>
      requests.get(`${pathOf(accountId)}/credits`, { query: { skip, limit }, ...options }),
    jobs: ({ limit, status, accountId, after } = {}, options) =>
      requests.get("/operator/jobs", {
        query: { limit, status, account_id: accountId, after },
        ...options,
      }),
    pauseJob: action("jobs", "pause"),
    resumeJob: action("jobs", "resume"),
    cancelJob: action("jobs", "cancel"),
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
    keys: keyMethods(requests, "/operator/keys"),
  };
}
