/** Mail servers with temperaments, on loopback. */
export { commonPort } from "./common-port.ts";
export { type MailServer, type MailServerOptions, startMailServer, startMailServers } from "./mail-server.ts";
export type { Mailbox, Truth, Users } from "./mailboxes.ts";
export type { ReplyTemplates } from "./reply-templates.ts";
export type { Action, ServerSession, SmtpStage, Temper, Temperament, TlsMode } from "./temperament.ts";
export * from "./temperaments/greylist.ts";
export * from "./temperaments/hostility.ts";
export * from "./temperaments/limits.ts";
export * from "./temperaments/protocol.ts";
export * from "./temperaments/providers.ts";
export * from "./temperaments/recipients.ts";
export * from "./temperaments/refusals.ts";
export * from "./temperaments/timing.ts";
export type { ServerCounts } from "./transcript.ts";
