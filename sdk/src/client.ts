/** Typed client of the API. Methods return the documents of the API unchanged. */
import type {
  About,
  Account,
  BulkItem,
  BulkSummary,
  Credits,
  DomainReport,
  Level,
  NotificationChanges,
  NotificationSettings,
  Statement,
  StatementKind,
  Usage,
  ValidationResult,
} from "@mailvet/contract";
import { auditMethods, type OwnAuditMethods } from "./audit-methods.ts";
import { type AuthMethods, authMethods } from "./auth-methods.ts";
import { type ListOptions, validateList } from "./email-list.ts";
import { type FeedbackMethods, feedbackMethods } from "./feedback-methods.ts";
import { type JobMethods, jobMethods, type ListMethods, listMethods } from "./job-methods.ts";
import { type KeyMethods, keyMethods } from "./key-methods.ts";
import { type OperatorMethods, operatorMethods } from "./operator-methods.ts";
import { type PageQuery, requestsBy } from "./requests.ts";
import {
  type ApiRequest,
  type CallOptions,
  type ClientOptions,
  createTransport,
  type IdempotentOptions,
} from "./transport.ts";
import { type WebhookMethods, webhookMethods } from "./webhook-methods.ts";

/** Options of a validation. */
export type ValidateOptions = {
  /** Response time limit, 1 to 60. A check that takes longer is unknown; repeat the request for its result. */
  timeoutSeconds?: number | undefined;
  /** Depth of the check. Default: "smtp". */
  level?: Level | undefined;
  /** Maximum age of a cached result; 0 disables the cache. */
  freshSeconds?: number | undefined;
};

/** Ledger entries of one reference, such as a job, or of one day in UTC. */
export type LedgerFilter = {
  reference?: string | undefined;
  date?: string | undefined;
  /** Only charges and refunds of requests with this API key; `web_app`: of those without one. */
  checksOf?: string | undefined;
};

export type StatementPage = PageQuery & {
  /** Days in UTC. Default: the last 30. */
  from?: string | undefined;
  to?: string | undefined;
  kind?: StatementKind | undefined;
};

export type Client = {
  /** Full result for one email. */
  validate(email: string, options?: IdempotentOptions & ValidateOptions): Promise<ValidationResult>;
  /** Up to 1,000 emails in one request: counts, and one short result per unique email. */
  validateBulk(
    emails: readonly string[],
    options?: IdempotentOptions & ValidateOptions,
  ): Promise<BulkSummary>;
  /**
   * Any number of emails: one short result each, in input order. When a request fails, results in flight are still
   * yielded before the error is thrown.
   */
  validateMany(
    emails: Iterable<string> | AsyncIterable<string>,
    options?: ListOptions & ValidateOptions,
  ): AsyncGenerator<BulkItem, void, undefined>;
  /** Mail route, provider, policies and catch-all status of a domain. */
  inspectDomain(domain: string, options?: CallOptions): Promise<DomainReport>;

  /** Public information about the installation; needs no authentication. */
  about(options?: CallOptions): Promise<About>;
  /** What the account is told by email; with a session only. */
  notifications(options?: CallOptions): Promise<NotificationSettings>;
  changeNotifications(changes: NotificationChanges): Promise<NotificationSettings>;
  /** The ledger in lines: one per job, one per day and key for requests, one per grant. */
  statement(query?: StatementPage, options?: CallOptions): Promise<Statement & { total: number }>;
  /** Plan, credits and limits. */
  account(options?: CallOptions): Promise<Account>;
  /** Balance and a page of the ledger, newest first; `total` counts all entries. */
  credits(page?: PageQuery & LedgerFilter, options?: CallOptions): Promise<Credits & { total: number }>;
  /** Usage by day and key. Default: the last 30 days. */
  usage(range?: UsagePeriod, options?: CallOptions): Promise<Usage>;
  /** Balance from the last response that contained it. */
  readonly creditsRemaining: number | undefined;

  /** Files: upload, confirm, follow, download. */
  jobs: JobMethods;
  lists: ListMethods;
  /** Delivery outcomes, which improve the scores. */
  feedback: FeedbackMethods;
  webhooks: WebhookMethods;
  keys: KeyMethods;
  auth: AuthMethods;
  /** Who did what to the account; needs a session. */
  audit: OwnAuditMethods;
  operator: OperatorMethods;
};

/** Days such as 2026-01-31, in UTC, inclusive. */
export type UsagePeriod = { from?: string | undefined; to?: string | undefined; keyId?: string | undefined };

export function createClient(options: ClientOptions): Client {
  const { send, open } = createTransport(options);
  let creditsRemaining: number | undefined;
  const call = async <T>(request: ApiRequest) => {
    const response = await send<T>(request);
    creditsRemaining = response.count("x-credits-remaining") ?? creditsRemaining;
    return response;
  };
  const requests = requestsBy(call);
  const sendBulk = (emails: readonly string[], options: BulkOptions) => {
    const { idempotencyKey, signal, waitWhenBusy } = options;
    const body = { emails, ...bodyOptionsOf(options) };
    return requests.post<BulkSummary>("/validation/bulk", body, { idempotencyKey, signal, waitWhenBusy });
  };

  return {
    validate(email, options = {}) {
      const { idempotencyKey, signal } = options;
      const body = { email, ...bodyOptionsOf(options) };
      return requests.post("/validation/single", body, { idempotencyKey, signal });
    },
    validateBulk: (emails, options = {}) => sendBulk(emails, { ...options, waitWhenBusy: false }),
    validateMany: (emails, list = {}) => {
      const { onResult: _, ...options } = list;
      return validateList(
        (part, signal) => sendBulk(part, { ...options, signal, waitWhenBusy: true }),
        emails,
        list,
      );
    },
    inspectDomain: (domain, more) => requests.get(`/domains/${encodeURIComponent(domain)}`, more),

    about: (more) => requests.get("/about", more),
    account: (more) => requests.get("/account", more),
    notifications: (more) => requests.get("/account/notifications", more),
    changeNotifications: (changes) => requests.patch("/account/notifications", changes),
    async statement({ skip, limit, from, to, kind } = {}, more) {
      const query = { skip, limit, from, to, kind };
      const path = "/credits/statement";
      const { body, count } = await call<Statement>({ method: "GET", path, query, ...more });
      return { ...body, total: count("x-total-count") ?? body.lines.length };
    },
    async credits({ skip, limit, reference, date, checksOf } = {}, more) {
      const page = { query: { skip, limit, reference, date, checks_of: checksOf } };
      const { body, count } = await call<Credits>({ method: "GET", path: "/credits", ...page, ...more });
      return { ...body, total: count("x-total-count") ?? body.ledger.length };
    },
    usage: ({ from, to, keyId } = {}, more) =>
      requests.get("/usage", { query: { from, to, key_id: keyId }, ...more }),
    get creditsRemaining() {
      return creditsRemaining;
    },

    jobs: jobMethods(requests, open),
    lists: listMethods(requests),
    feedback: feedbackMethods(requests),
    webhooks: webhookMethods(requests),
    keys: keyMethods(requests, "/keys"),
    auth: authMethods(requests, open),
    audit: auditMethods(requests, open, "/audit"),
    operator: operatorMethods(requests, open),
  };
}

type BulkOptions = IdempotentOptions & ValidateOptions & { waitWhenBusy: boolean };

/** In the names of the API; undefined fields are not sent. */
function bodyOptionsOf({ timeoutSeconds, level, freshSeconds }: ValidateOptions) {
  return { timeout_seconds: timeoutSeconds, level, fresh: freshSeconds };
}
