export type * from "@mailvet/contract";
export type { AuthMethods, Credentials } from "./auth-methods.ts";
export { type Client, createClient, type OnceOptions, type Page, type UsageRange } from "./client.ts";
export type { CallOptions, ConnectionOptions } from "./connection.ts";
export type { ListOptions } from "./email-list.ts";
export { MailvetProblem, MailvetUnreachable, type UnreachableReason } from "./failure.ts";
export type { KeyMethods, NewKey } from "./key-methods.ts";
export type { AccountsQuery, OperatorMethods } from "./operator-methods.ts";
