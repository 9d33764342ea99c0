/**
 * What the network stages report about their work, for metrics and traces: one event for each SMTP session and for each
 * lookup of a domain. Plain data, so that a thread can pass it on; it contains no address.
 */
import type { MailRoute } from "../dns/mail-route.ts";
import type { GreetingResult, SessionEnding } from "../smtp/client/client.ts";
import type { ReplyCategory } from "../smtp/meaning/category.ts";

export type NetworkEvent = SmtpSessionEvent | DnsLookupEvent;
export type Observe = (event: NetworkEvent) => void;

export type SmtpSessionEvent = Period & {
  kind: "smtp_session";
  host: string;
  /** Slug of the mail provider, or "other". */
  provider: string;
  /** Name of the egress identity. */
  identity: string;
  /** Time that the session waited for its slots, before its start. */
  slotWaitMs: number;
  /** Replies about recipients, or the one that refused the session, by category. */
  replies: Partial<Record<ReplyCategory, number>>;
  /** Recipients that were sent. */
  recipients: number;
  outcome: SessionOutcome;
  /** Of the checks that the session was for, each once, up to a limit. */
  traces: string[];
};

/** How the session could not be opened, how the server ended it, or why it was ended. */
export type SessionOutcome =
  | Exclude<GreetingResult["kind"], "ready">
  | SessionEnding
  | "completed"
  /** The server refused known mailboxes too. */
  | "untrusted"
  /** Refused because other connections were open. */
  | "connection_cap"
  /** A device in the network answered instead of the host. */
  | "intercepted";

/** All questions of one lookup together. */
export type DnsLookupEvent = Period & {
  kind: "dns_lookup";
  lookup: "mail_route" | "mail_policies";
  outcome: MailRoute["kind"] | "found" | "failed";
  trace: string | undefined;
};

/** In milliseconds since 1970, with fractions. */
type Period = { startedAtMs: number; endedAtMs: number };

/** Traces that an event names. */
export const MAX_TRACES = 16;

/** Monotonic within a thread, comparable between threads. */
export const epochMs = (): number => performance.timeOrigin + performance.now();
