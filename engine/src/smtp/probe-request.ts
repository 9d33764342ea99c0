/**
 * One recipient to probe, as a state machine. The request owns its state, its retry counters and the list of hosts that
 * cannot answer it; other files move it through these transitions, and any other transition throws.
 *
 * | from                    | method             | to        | when                                                      |
 * |-------------------------|--------------------|-----------|-----------------------------------------------------------|
 * | new                     | enqueue            | queued    | added to the pool's queue (probe-queue.ts)                |
 * | queued                  | take               | in_flight | taken into a batch (probe-queue.ts)                       |
 * | in_flight               | enqueue            | queued    | another host, transaction or session is to answer it      |
 * | in_flight               | hold               | held      | answered, until a control shows whether that stands       |
 * | held                    | confirm            | settled   | it stands (session-controls.ts)                           |
 * | held                    | enqueue            | queued    | retracted (session-controls.ts), or another host is asked |
 * | held                    | settle             | settled   | retracted too often, or all hosts refuse the domain       |
 * | in_flight               | settle             | settled   | answered (reply-handler.ts)                               |
 * | queued                  | settle             | settled   | no host available, or the domain is catch-all             |
 * | new, queued             | drop               | dropped   | the pool closes, or a decoy is not needed (host-pool.ts)  |
 * | queued, in_flight       | fail               | failed    | an exception in our own code                              |
 *
 * Knows nothing of SMTP: what a reply means is in mailbox-finding.ts.
 */
import type { MailboxFinding } from "../evidence.ts";
import { isSameOperator } from "../reference/mail-provider.ts";
import { afterDeferral } from "./mailbox-finding.ts";

export type ProbeState = "new" | "queued" | "in_flight" | "held" | "settled" | "dropped" | "failed";

const NEXT_STATES: Record<ProbeState, readonly ProbeState[]> = {
  new: ["queued", "dropped"],
  queued: ["in_flight", "settled", "dropped", "failed"],
  in_flight: ["queued", "held", "settled", "failed"],
  held: ["queued", "settled"],
  settled: [],
  dropped: [],
  failed: [],
};

/** Why a host cannot answer a request. */
export type HostDenial = "domain_not_accepted" | "smtputf8_unsupported" | "deferred";

/** How a request ended, passed to the caller exactly once. */
export type ProbeEnd =
  | { kind: "settled"; finding: MailboxFinding }
  | { kind: "dropped" }
  | { kind: "failed"; error: unknown };

export type ProbeRecipient = {
  recipient: string;
  domain: string;
  smtpUtf8: boolean;
  isDecoy: boolean;
  /** A role mailbox such as postmaster@. */
  isRole?: boolean | undefined;
  isInteractive: boolean;
  /** Mail hosts with the best preference. Undefined: the preference does not matter. */
  preferredHosts?: readonly string[];
  /** Of the check that it belongs to. */
  trace?: string | undefined;
};

/** Sessions that may end at this very request before it counts as their cause. */
const MAX_SESSIONS_ENDED = 3;
const MAX_RETRIES = 50;
/** How often "too many recipients" sends it to a new transaction before the reply counts as its answer. */
const MAX_TRANSACTION_RETRIES = 5;
const MAX_RETRACTIONS = 3;
const MAX_CUT_OFFS = 6;

export class ProbeRequest {
  readonly recipient: string;
  readonly domain: string;
  readonly smtpUtf8: boolean;
  /** A made-up mailbox. It is sent only once its answer is needed, unless it fits into a batch without extra cost. */
  readonly isDecoy: boolean;
  readonly isRole: boolean;
  readonly trace: string | undefined;
  readonly #preferredHosts: readonly string[] | undefined;
  readonly #onEnd: (end: ProbeEnd) => void;
  #denials: Map<string, HostDenial> | undefined;
  /** Egress identities that were refused, by their index, and how the last one was. */
  #refusedFrom: number[] | undefined;
  #refusal: MailboxFinding | undefined;
  #state: ProbeState = "new";
  #isInteractive: boolean;
  #isNeeded: boolean;
  #deferral: MailboxFinding | undefined;
  #heldFinding: MailboxFinding | undefined;
  #sessionsEnded = 0;
  #retries = 0;
  #retractions = 0;
  #cutOffs = 0;

  constructor(probe: ProbeRecipient, onEnd: (end: ProbeEnd) => void) {
    this.recipient = probe.recipient;
    this.domain = probe.domain;
    this.smtpUtf8 = probe.smtpUtf8;
    this.isDecoy = probe.isDecoy;
    this.isRole = probe.isRole === true;
    this.trace = probe.trace;
    this.#preferredHosts = probe.preferredHosts;
    this.#isInteractive = probe.isInteractive;
    this.#isNeeded = !probe.isDecoy;
    this.#onEnd = onEnd;
  }

  get state(): ProbeState {
    return this.#state;
  }

  get hasEnded(): boolean {
    return NEXT_STATES[this.#state].length === 0;
  }

  /** A caller waits for the answer. A decoy is as interactive as the requests of its domain. */
  get isInteractive(): boolean {
    return this.#isInteractive;
  }

  raisePriority(): void {
    this.#isInteractive = true;
  }

  get isNeeded(): boolean {
    return this.#isNeeded;
  }

  markNeeded(): void {
    this.#isNeeded = true;
  }

  /** The temporary reply of the first host. It stands unless another host settles the request. */
  get deferral(): MailboxFinding | undefined {
    return this.#deferral;
  }

  /** The answer that is kept back while the request is held. */
  get heldFinding(): MailboxFinding | undefined {
    return this.#heldFinding;
  }

  enqueue(): void {
    this.#moveTo("queued");
    this.#heldFinding = undefined;
  }

  take(): void {
    this.#moveTo("in_flight");
  }

  hold(finding: MailboxFinding): void {
    this.#moveTo("held");
    this.#heldFinding = finding;
  }

  /** The host refuses this recipient, and not everything. */
  markSelective(): void {
    if (this.#heldFinding) this.#heldFinding = { ...this.#heldFinding, isSelective: true };
  }

  /** Settles a held request with its answer. */
  confirm(): void {
    if (!this.#heldFinding) throw new Error(`no answer is held for ${this.recipient}`);
    this.settle(this.#heldFinding);
  }

  settle(finding: MailboxFinding): void {
    this.#moveTo("settled");
    this.#onEnd({ kind: "settled", finding: afterDeferral(this.#deferral, finding) });
  }

  drop(): void {
    this.#moveTo("dropped");
    this.#onEnd({ kind: "dropped" });
  }

  fail(error: unknown): void {
    this.#moveTo("failed");
    this.#onEnd({ kind: "failed", error });
  }

  /** Excludes a host; another host of the domain may answer. */
  deny(host: string, denial: HostDenial): void {
    this.#denials ??= new Map();
    this.#denials.set(host, denial);
  }

  /** Keeps the temporary reply of a host, and leaves the request to the others. */
  defer(host: string, finding: MailboxFinding): void {
    this.#deferral = finding;
    this.deny(host, "deferred");
  }

  /** The host refused the egress identity that asked, whatever the mailbox. Another identity is to ask. */
  refuseFrom(identity: number, finding: MailboxFinding): void {
    this.#refusedFrom = [...(this.#refusedFrom ?? []), identity];
    this.#refusal = finding;
  }

  isRefusedFrom(identity: number): boolean {
    return this.#refusedFrom?.includes(identity) === true;
  }

  get refusedIdentities(): number {
    return this.#refusedFrom?.length ?? 0;
  }

  /** The last refusal of an identity. It stands unless another identity gets an answer. */
  get refusal(): MailboxFinding | undefined {
    return this.#refusal;
  }

  /**
   * Whether this host knows the mailboxes of the domain. A backup host of another operator may not, unless all preferred hosts say
   * that the domain is not theirs.
   */
  isDecidedBy(host: string): boolean {
    const preferred = this.#preferredHosts;
    if (preferred === undefined || preferred.some((name) => name === host || isSameOperator(name, host)))
      return true;
    return preferred.every((name) => this.#denials?.get(name) === "domain_not_accepted");
  }

  isOpenTo(host: string, identity?: number): boolean {
    return !this.#denials?.has(host) && (identity === undefined || !this.isRefusedFrom(identity));
  }

  /**
   * Whether a session at this host should send it. `passedOver`: hosts that had no requests when the session was opened. What they
   * can answer is left to them.
   */
  isFor(host: string, identity: number | undefined, passedOver: readonly string[]): boolean {
    return this.isOpenTo(host, identity) && !passedOver.some((other) => this.isOpenTo(other, identity));
  }

  /** Whether every host that denied it did so for this reason. */
  isDeniedOnlyAs(denial: HostDenial): boolean {
    return [...(this.#denials?.values() ?? [])].every((other) => other === denial);
  }

  /** Counts a session that ended before the answer; false when there were too many. `isCause`: it may be why. */
  canRetryAfterSessionEnd(isCause: boolean): boolean {
    if (isCause) this.#sessionsEnded++;
    return this.#sessionsEnded < MAX_SESSIONS_ENDED && ++this.#retries <= MAX_RETRIES;
  }

  /** Counts a retry in a new transaction; false when there were too many. */
  canRetryInNewTransaction(): boolean {
    return this.#retries++ < MAX_TRANSACTION_RETRIES;
  }

  /** Counts a retracted answer; false when there were too many. `isCutOff`: the session ended before its control. */
  canRetryAfterRetraction(isCutOff: boolean): boolean {
    if (!isCutOff) this.#retractions++;
    return this.#retractions < MAX_RETRACTIONS && this.#cutOffs++ < MAX_CUT_OFFS;
  }

  #moveTo(state: ProbeState): void {
    if (!NEXT_STATES[this.#state].includes(state))
      throw new Error(`a probe request cannot go from ${this.#state} to ${state}`);
    this.#state = state;
  }
}
