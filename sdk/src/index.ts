export type * from "@mailvet/contract";
export type {
  AuditListFilter,
  AuditMethods,
  AuditPageQuery,
  OperatorAuditFilter,
  OperatorAuditMethods,
  OwnAuditMethods,
} from "./audit-methods.ts";
export type { AuthMethods, Credentials, Proof } from "./auth-methods.ts";
export {
  type Client,
  createClient,
  type LedgerFilter,
  type StatementPage,
  type UsagePeriod,
  type ValidateOptions,
} from "./client.ts";
export type { ListOptions } from "./email-list.ts";
export { MailvetProblem, MailvetUnreachable, type UnreachableReason } from "./errors.ts";
export type { FeedbackMethods, OutcomeInput } from "./feedback-methods.ts";
export type {
  DownloadChoice,
  JobMethods,
  JobRunOptions,
  JobsQuery,
  ListMethods,
  ResultChoice,
  ResultPages,
  ResultsPage,
  WaitOptions,
} from "./job-methods.ts";
export type { WatchOptions } from "./job-watch.ts";
export type { KeyMethods, NewKey } from "./key-methods.ts";
export type {
  AccountsQuery,
  NewAccount,
  NewOperatorKey,
  OperatorJobsQuery,
  OperatorKeyMethods,
  OperatorMethods,
} from "./operator-methods.ts";
export type { Page, PageQuery } from "./requests.ts";
export { createIdempotencyKey } from "./retry.ts";
export type { CallOptions, ClientOptions, IdempotentOptions } from "./transport.ts";
export type { UploadFile } from "./upload-body.ts";
export type { DeliveriesQuery, NewWebhook, WebhookChanges, WebhookMethods } from "./webhook-methods.ts";
export {
  InvalidWebhook,
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
} from "./webhooks/signature.ts";
