/** What the parts of one SMTP session share: its pool, its host, its counts. */
import type { MailHost } from "../../dns/mail-route.ts";
import type { SessionEnding, SmtpClient } from "../client/client.ts";
import type { AcceptedMailboxes } from "../decoy-comparison.ts";
import type { Identity, IdentitySlots } from "../identity-set.ts";
import type { ProbeQueue } from "../probe-queue.ts";
import type { ProbeRequest } from "../probe-request.ts";
import type { Reply } from "../reply.ts";
import type { CountedSession } from "../throttle/global-limiter.ts";
import type { HostLimiter } from "../throttle/host-limiter.ts";
import type { LearnedLimits } from "../throttle/learned-limits.ts";
import type { ProviderProfile } from "../throttle/provider-profile.ts";
import type { SessionControls } from "./session-controls.ts";

export type SessionContext = {
  deps: ProbeSessionDeps;
  target: SessionTarget;
  counts: SessionCounts;
  readonly controls: SessionControls;
  /** What answers is not the host (../throttle/interception.ts). */
  readonly isIntercepted: boolean;
};

/** What a session needs of its pool (host-pool.ts). */
export type ProbeSessionDeps = {
  queue: ProbeQueue;
  hosts: readonly MailHost[];
  /** There may be further hosts that DNS could not resolve just now. */
  hasUnknownHosts: boolean;
  profile: ProviderProfile;
  acceptedMailboxes: AcceptedMailboxes;
  /** Mailboxes of a catch-all domain that are still to be asked; infinite for any other. */
  leftAtCatchAll(domain: string): number;
  /** A mailbox of the domain was refused for good, as far as the session can tell. */
  onRefused(domain: string): void;
  /** Timeout of each batch. */
  probeTimeoutMs: number;
  isClosing(): boolean;
  /** Another pool waits for one of all the sessions of this process. */
  hasGlobalWaiters(): boolean;
  /** Waits a moment for a new request; true when one arrived. */
  nextRequest(): Promise<boolean>;
  /** Another egress identity may ask for a request that was refused from one. */
  hasIdentityFor(request: ProbeRequest): boolean;
};

export type SessionTarget = {
  client: SmtpClient;
  host: string;
  address: string;
  /** Hosts that had no requests when it was opened. */
  passedOver: readonly string[];
  /** The egress identity of the session, and its slots at the host. */
  identity: Identity;
  slots: IdentitySlots;
  /** Its slot among all sessions of this process. */
  counted: CountedSession;
  limiter: HostLimiter;
  limits: LearnedLimits;
};

/** Of the batches so far. */
export type SessionCounts = { recipients: number; refused: number; accepted: number };

/** Counts of one batch. */
export type BatchTally = {
  answered: number;
  refused: number;
  /** Refusals about us or our rate. */
  aboutUs: number;
  isRateLimited?: true;
  /** A recipient was accepted, or refused for a reason of its own. */
  isJudged?: true;
  /** A reply that rejects our address, EHLO name or sender, with no recipient judged after it. */
  block?: Reply;
  /** The host refuses this connection because others are open. */
  isBeyondCap?: true;
  /** The queue is empty, or a caller waits for an answer: what is held is to be decided. */
  isClosing?: true;
  /** The host ended the session after a number of refusals. */
  isErrorLimit?: true;
  ending?: SessionEnding;
};
