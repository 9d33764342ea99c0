/**
 * Messages between the calling thread and the engine threads: small plain objects, sent in batches.
 *
 * Each request has a number, which its replies carry. Slots of a host limiter and the admission of a session are requests
 * of the other direction. `identity` is the index of an egress identity.
 */
import type { MailPolicies } from "../dns/mail-policies.ts";
import type { MailRoute } from "../dns/mail-route.ts";
import type { NetworkEvent } from "../egress/network-event.ts";
import type { DecoyFinding, MailboxFinding } from "../evidence.ts";
import type { ProbeInput } from "../smtp/probe-planner.ts";
import type { HostMemoryEntry } from "../smtp/throttle/host-memories.ts";
import type { Greeting } from "../smtp/throttle/interception.ts";
import type { ProviderProfile } from "../smtp/throttle/provider-profile.ts";
import type { GateRefusal } from "../smtp/throttle/session-gate.ts";
import type { OpenBreaker, ThrottleEvent } from "../smtp/throttle/throttle-state.ts";

export type RequestMessage =
  | { type: "route" | "policies"; id: number; domain: string; isUrgent: boolean; tenant: string | undefined }
  | { type: "probe"; id: number; input: Omit<ProbeInput, "priority">; isUrgent: boolean };

export type ToThread =
  | RequestMessage
  | { type: "raise"; id: number }
  | { type: "granted"; id: number; key: string; state: LimiterState }
  | { type: "limiter"; key: string; state: LimiterState }
  | { type: "admitted"; id: number; refusal: GateRefusal | undefined }
  | GreetedMessage
  | { type: "close" };

/** The last reply to a request, unless it is a mailbox with a decoy to follow. */
export type ReplyMessage =
  | { type: "found"; id: number; found: MailRoute | MailPolicies }
  | { type: "mailbox"; id: number; mailbox: MailboxFinding; hasDecoy: boolean }
  | { type: "decoy"; id: number; decoy: DecoyFinding }
  | { type: "failed"; id: number; stack: string };

export type LimiterMessage =
  | { type: "acquire"; id: number; key: string; profile: ProviderProfile; isInteractive: boolean }
  | { type: "reprioritise"; id: number; isInteractive: boolean }
  | { type: "cancel"; id: number }
  | { type: "release"; key: string }
  | { type: "record"; key: string; event: ThrottleEvent };

export type FromThread =
  | ReplyMessage
  | LimiterMessage
  | HealthMessage
  | { type: "ready" }
  | { type: "admit"; id: number; identity: number }
  | { type: "observed"; event: NetworkEvent }
  | { type: "remembered"; entry: HostMemoryEntry }
  | { type: "closed" };

/** What a connection shows about the egress identity it was made from. */
export type HealthMessage =
  | { type: "connected"; identity: number }
  | { type: "timed_out"; identity: number; host: string }
  | { type: "failed_locally"; identity: number }
  | GreetedMessage;

/** It goes on to the other threads. */
export type GreetedMessage = { type: "greeted"; identity: number; greeting: Greeting };

/** The readable part of a HostLimiter. */
export type LimiterState = {
  limit: number;
  delayLeftMs: number;
  openBreaker: OpenBreaker | undefined;
  hasWaiters: boolean;
  hasInteractiveWaiter: boolean;
};

/** Collects the messages of one event-loop iteration and posts them together, which halves their cost. */
export class Outbox<Message> {
  readonly #post: (batch: Message[]) => void;
  #batch: Message[] = [];

  constructor(post: (batch: Message[]) => void) {
    this.#post = post;
  }

  send(message: Message): void {
    if (this.#batch.push(message) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.#post(batch);
  }
}
