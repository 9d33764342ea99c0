/** Mail servers of every temperament, on loopback. */
export { commonPort } from "./common-port.ts";
export type { Counts } from "./guest-book.ts";
export { type MailServer, type MailServerOptions, startMailServer, startMailServers } from "./mail-server.ts";
export type { Mailbox, Truth, Users } from "./mailboxes.ts";
export type { Action, Stage, Temper, Temperament, TlsManner, Visit } from "./temperament.ts";
export * from "./temperaments/greylist.ts";
export * from "./temperaments/hostility.ts";
export * from "./temperaments/limits.ts";
export * from "./temperaments/pace.ts";
export * from "./temperaments/protocol.ts";
export * from "./temperaments/providers.ts";
export * from "./temperaments/recipients.ts";
export * from "./temperaments/refusals.ts";
export type { Words } from "./words.ts";
