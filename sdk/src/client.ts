/** Everything a service can be asked, as typed methods. What comes back is the API's own document, unchanged. */
import type {
  About,
  Account,
  BulkItem,
  BulkSummary,
  Credits,
  DomainReport,
  Level,
  Usage,
  ValidationResult,
} from "@mailvet/contract";
import { type AuthMethods, authMethods } from "./auth-methods.ts";
import {
  type Call,
  type CallOptions,
  type ConnectionOptions,
  connect,
  type OnceOptions,
} from "./connection.ts";
import { type ListOptions, validateList } from "./email-list.ts";
import { type FeedbackMethods, feedbackMethods } from "./feedback-methods.ts";
import { type JobMethods, jobMethods } from "./job-methods.ts";
import { type KeyMethods, keyMethods } from "./key-methods.ts";
import { onceKey } from "./once-key.ts";
import { type OperatorMethods, operatorMethods } from "./operator-methods.ts";
import { type WebhookMethods, webhookMethods } from "./webhook-methods.ts";

/** How emails are to be checked. */
export type CheckOptions = {
  /** 1 to 60: the service answers within this time; what is not settled by then is unknown, and found by asking again. */
  timeoutSeconds?: number | undefined;
  /** How far to go; "smtp" unless told. */
  level?: Level | undefined;
  /** Nothing from the service's cache that is older; 0: nothing from the cache. */
  freshSeconds?: number | undefined;
};

export type Client = {
  /** One email, everything that was found out about it. */
  validate(email: string, options?: OnceOptions & CheckOptions): Promise<ValidationResult>;
  /** Up to 1,000 emails in one request: counts, and one short result per different email. */
  validateBulk(emails: readonly string[], options?: OnceOptions & CheckOptions): Promise<BulkSummary>;
  /**
   * Any number of emails: one short result for each, in their order. When a request fails, what was under way is
   * still handed out before the failure is thrown.
   */
  validateMany(
    emails: Iterable<string> | AsyncIterable<string>,
    options?: ListOptions & CheckOptions,
  ): AsyncGenerator<BulkItem, void, undefined>;
  /** A mail domain: where its mail goes, who runs it, what it publishes, whether it accepts any name. */
  inspectDomain(domain: string, options?: CallOptions): Promise<DomainReport>;

  /** What the installation says of itself; nobody has to be known for it. */
  about(options?: CallOptions): Promise<About>;
  /** Plan, credits and limits. */
  account(options?: CallOptions): Promise<Account>;
  /** The balance and a page of its history, newest first; `total` counts the whole history. */
  credits(page?: Page, options?: CallOptions): Promise<Credits & { total: number }>;
  /** What was used, by day and key; the last 30 days unless told. */
  usage(range?: UsageRange, options?: CallOptions): Promise<Usage>;
  /** The balance as the last answer told it; undefined when none has. */
  readonly creditsRemaining: number | undefined;

  /** Whole files: upload, confirm, follow, fetch. */
  jobs: JobMethods;
  /** What became of messages: the service learns from it. */
  feedback: FeedbackMethods;
  webhooks: WebhookMethods;
  keys: KeyMethods;
  auth: AuthMethods;
  operator: OperatorMethods;
};

export type Page = { skip?: number | undefined; limit?: number | undefined };

/** Days as 2026-01-31, in UTC, both included. */
export type UsageRange = { from?: string | undefined; to?: string | undefined; keyId?: string | undefined };

export function createClient(options: ConnectionOptions): Client {
  const { ask, open } = connect(options);
  let creditsRemaining: number | undefined;
  const call = async <T>(what: Call) => {
    const answer = await ask<T>(what);
    creditsRemaining = answer.count("x-credits-remaining") ?? creditsRemaining;
    return answer;
  };
  const askBulk = async (emails: readonly string[], options: BulkOptions) => {
    const { idempotencyKey = onceKey(), signal, isPatient = false } = options;
    const body = { emails, ...wishesOf(options) };
    const how = { idempotencyKey, signal, isPatient };
    return (await call<BulkSummary>({ method: "POST", path: "/validation/bulk", body, ...how })).body;
  };

  return {
    async validate(email, options = {}) {
      const { idempotencyKey = onceKey(), signal } = options;
      const path = "/validation/single";
      const body = { email, ...wishesOf(options) };
      return (await call<ValidationResult>({ method: "POST", path, body, idempotencyKey, signal })).body;
    },
    validateBulk: (emails, options = {}) => askBulk(emails, { ...options, isPatient: false }),
    validateMany: (emails, list = {}) => {
      const { onResult: _, ...wishes } = list;
      return validateList(
        (part, signal) => askBulk(part, { ...wishes, signal, isPatient: true }),
        emails,
        list,
      );
    },
    async inspectDomain(domain, more) {
      const path = `/domains/${encodeURIComponent(domain)}`;
      return (await call<DomainReport>({ method: "GET", path, ...more })).body;
    },

    async about(more) {
      return (await call<About>({ method: "GET", path: "/about", ...more })).body;
    },
    async account(more) {
      return (await call<Account>({ method: "GET", path: "/account", ...more })).body;
    },
    async credits({ skip, limit } = {}, more) {
      const page = { query: { skip, limit } };
      const { body, count } = await call<Credits>({ method: "GET", path: "/credits", ...page, ...more });
      return { ...body, total: count("x-total-count") ?? body.ledger.length };
    },
    async usage({ from, to, keyId } = {}, more) {
      const query = { from, to, key_id: keyId };
      return (await call<Usage>({ method: "GET", path: "/usage", query, ...more })).body;
    },
    get creditsRemaining() {
      return creditsRemaining;
    },

    jobs: jobMethods(call, open),
    feedback: feedbackMethods(call),
    webhooks: webhookMethods(call),
    keys: keyMethods(call),
    auth: authMethods(call),
    operator: operatorMethods(call),
  };
}

type BulkOptions = OnceOptions & CheckOptions & { isPatient: boolean };

/** As the API spells them; what is undefined is not sent. */
function wishesOf({ timeoutSeconds, level, freshSeconds }: CheckOptions) {
  return { timeout_seconds: timeoutSeconds, level, fresh: freshSeconds };
}
