/**
 * What an egress identity remembers of a mail host over its sessions: how many unknown users it has asked for, the mailbox
 * that the host accepted last, and the control that failed last.
 *
 * Servers count unknown users by client address and over connections, so the count is of the last hour, whatever was
 * accepted meanwhile. session/session-controls.ts decides by it.
 */

export type KnownMailbox = { recipient: string; smtpUtf8: boolean; domain: string; isRole: boolean };

/** Of a domain at this host: whether a made-up name was refused, and what its mailboxes answered. */
export type DomainAnswers = {
  madeUp: "unasked" | "refused" | "accepted";
  /** Made-up names that were decided: the next one is another. */
  madeUpNames: number;
  asked: number;
  refused: number;
};

/** What outlasts a restart. It names no mailbox. */
export type StoredMemory = {
  refusedAtMs: number[];
  firstRefusals: number;
  refusedInARow: number;
  isDoubted: boolean;
  hasFailed: boolean;
  postmaster?: { isAccepted: boolean; askedAtMs: number };
};

/**
 * Mailboxes that a server has to accept (RFC 5321, 4.5.1), or that operators commonly exempt from filters. One that refuses
 * every other recipient still accepts them, so they prove nothing.
 */
const EXEMPT_FROM_FILTERS = /^(?:postmaster|abuse)@/i;

export function isExemptFromFilters({ recipient }: Pick<KnownMailbox, "recipient">): boolean {
  return EXEMPT_FROM_FILTERS.test(recipient);
}

/** Unknown users an hour that every server tolerates. */
export const TOLERATED_REFUSALS = 4;
/** A server that has judged so many of an hour, and never failed a control, does not change its answers because of them. */
const STEADY_AFTER_REFUSALS = 20;
/** Then a made-up name is due only every so many accepted mailboxes. */
const ACCEPTS_PER_CONTROL = 25;
/** Refusals in a row after which a host is left for another hour, where nothing shows whether it refuses every recipient. */
const MANY_REFUSALS = 60;
/** First refusals of an hour, without any accepted mailbox, after which the others are believed with reserve. */
const ENOUGH_FIRST_REFUSALS = 12;

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;

export class HostMemory {
  /** The last mailbox that the host accepted as it refused a made-up name, and another one before it. */
  known: KnownMailbox | undefined;
  #knownBefore: KnownMailbox | undefined;
  /** The control that failed last: the next session begins with it. */
  doubt: { mailbox?: KnownMailbox; isMadeUp: boolean } | undefined;
  #hasFailed: boolean;
  /** Since the last accepted mailbox. */
  #refusedInARow: number;
  #refusedAtMs: number[];
  #firstRefusals: number;
  #postmaster: StoredMemory["postmaster"];
  #steadySinceMs = Number.NEGATIVE_INFINITY;
  #acceptsSinceControl = 0;
  readonly #now: () => number;
  readonly #onChange: (stored: StoredMemory | undefined) => void;
  #saved: string | undefined;

  constructor(
    stored?: StoredMemory,
    now: () => number = Date.now,
    onChange: (stored: StoredMemory | undefined) => void = () => {},
  ) {
    this.#now = now;
    this.#onChange = onChange;
    this.#refusedAtMs = [...(stored?.refusedAtMs ?? [])];
    this.#firstRefusals = stored?.firstRefusals ?? 0;
    this.#refusedInARow = stored?.refusedInARow ?? 0;
    this.#postmaster = stored?.postmaster;
    this.#hasFailed = stored?.hasFailed ?? false;
    if (stored?.isDoubted) this.doubt = { isMadeUp: false };
    this.#saved = JSON.stringify(this.stored);
  }

  /** Reports what outlasts a restart, if it has changed. */
  save(): void {
    const { stored } = this;
    const text = JSON.stringify(stored);
    if (text === this.#saved) return;
    this.#saved = text;
    this.#onChange(stored);
  }

  /** Undefined while there is nothing to remember that a new session would not find out as well. */
  get stored(): StoredMemory | undefined {
    if (this.refusals === 0 && !this.#hasFailed && this.#firstRefusals === 0) return undefined;
    return {
      refusedAtMs: [...this.#refusedAtMs],
      firstRefusals: this.#firstRefusals,
      refusedInARow: this.#refusedInARow,
      isDoubted: this.doubt !== undefined,
      hasFailed: this.#hasFailed,
      ...(this.#postmaster && { postmaster: this.#postmaster }),
    };
  }

  /** Permanent refusals of the last hour, those of made-up names included; counted up to a number that makes no difference. */
  get refusals(): number {
    const since = this.#now() - HOUR_MS;
    while (this.#refusedAtMs[0] !== undefined && this.#refusedAtMs[0] <= since) this.#refusedAtMs.shift();
    return this.#refusedAtMs.length;
  }

  /** Seconds until the host has room for another refusal that needs no control. */
  get secondsToTolerated(): number {
    const nth = this.#refusedAtMs.at(-TOLERATED_REFUSALS);
    if (this.refusals < TOLERATED_REFUSALS || nth === undefined) return 0;
    return Math.max(1, Math.ceil((nth + HOUR_MS - this.#now()) / 1000));
  }

  /** A refusal now would be one of the first of the hour. */
  get isTolerant(): boolean {
    return this.refusals < TOLERATED_REFUSALS && !this.doubt;
  }

  /** True if it is one of the first of the hour. */
  recordRefusal(): boolean {
    const isFirst = this.isTolerant;
    this.#refusedInARow++;
    this.#refusedAtMs.push(this.#now());
    if (this.#refusedAtMs.length > STEADY_AFTER_REFUSALS + 1) this.#refusedAtMs.shift();
    return isFirst;
  }

  /** One of the first refusals of an hour stands, and no mailbox has been accepted so far. */
  recordFirstRefusal(): void {
    if (!this.known) this.#firstRefusals++;
  }

  /**
   * So many mailboxes were refused since the last accepted one that only the first of each hour are asked, until it is probably empty.
   */
  get isLeftForAnotherHour(): boolean {
    const isEmptySoFar = this.#refusedInARow >= MANY_REFUSALS && this.isPostmasterAccepted === false;
    return isEmptySoFar && !this.known && !this.isTolerant && !this.isProbablyEmpty;
  }

  /** So many were refused one by one over hours, and no mailbox was accepted, that the others are probably missing too. */
  get isProbablyEmpty(): boolean {
    return this.#firstRefusals >= ENOUGH_FIRST_REFUSALS;
  }

  /** A mailbox was accepted, and a made-up name refused after it. */
  recordAccepted({ recipient, smtpUtf8, domain, isRole }: KnownMailbox): void {
    if (this.known && this.known.recipient !== recipient) this.#knownBefore = this.known;
    this.known = { recipient, smtpUtf8, domain, isRole };
    this.#firstRefusals = 0;
    this.#refusedInARow = 0;
    this.doubt = undefined;
  }

  /** It was refused: perhaps it has been deleted. True where another one is known. */
  forget(recipient: string): boolean {
    if (this.#knownBefore?.recipient === recipient) this.#knownBefore = undefined;
    if (this.known?.recipient !== recipient) return this.known !== undefined;
    this.known = this.#knownBefore;
    this.#knownBefore = undefined;
    return this.known !== undefined;
  }

  /** A control failed: the host answered every recipient alike. */
  recordFailure(doubt: NonNullable<HostMemory["doubt"]>): void {
    this.doubt = doubt;
    this.#hasFailed = true;
  }

  /** A made-up name was refused as expected, after an acceptance or with nothing in doubt. */
  recordControl(): void {
    if (this.refusals > STEADY_AFTER_REFUSALS) this.#steadySinceMs = this.#now();
    this.#acceptsSinceControl = 0;
    if (this.doubt?.isMadeUp) this.doubt = undefined;
  }

  /** The host has refused so many unknown users, and told mailboxes apart after them, that not every session needs a control. */
  get isSteady(): boolean {
    return (
      this.refusals > STEADY_AFTER_REFUSALS &&
      !this.#hasFailed &&
      this.#steadySinceMs > this.#now() - HOUR_MS &&
      this.#acceptsSinceControl < ACCEPTS_PER_CONTROL
    );
  }

  /** Whether an accepted mailbox needs no control of its own. Counts it. */
  takeSteadyAccept(): boolean {
    if (!this.isSteady) return false;
    this.#acceptsSinceControl++;
    return true;
  }

  /** postmaster@, the control for refusals where no mailbox is known: undefined while it is not asked, or too long ago. */
  get isPostmasterAccepted(): boolean | undefined {
    if (!this.#postmaster || this.#postmaster.askedAtMs <= this.#now() - DAY_MS) return undefined;
    return this.#postmaster.isAccepted;
  }

  recordPostmaster(isAccepted: boolean): void {
    this.#postmaster = { isAccepted, askedAtMs: this.#now() };
  }
}
