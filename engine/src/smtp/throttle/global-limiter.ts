/**
 * Limits the sessions of this process to all mail hosts together.
 *
 * The limit is one of work. A session at a host that says nothing needs none, and may last half a minute, so after a second
 * without a byte it no longer counts; open connections have a limit of their own. Interactive requests have sessions in
 * reserve. Otherwise a few hundred silent hosts in one list would hold up all other lists, and single checks.
 *
 * The limits themselves are in ../session-limits.ts, those of each host in host-limiter.ts.
 */
import type { Socket } from "node:net";
import type { SessionLimits } from "../session-limits.ts";
import { SlotWaiters } from "./host-limiter.ts";

/** From before its connection is opened until after it has ended. */
export class CountedSession {
  /** Once it is connected. */
  socket: Pick<Socket, "bytesRead"> | undefined;
  /** It has a slot of the reserve. */
  isReserved = false;
  readonly #alwaysCounts: boolean;
  #bytesRead = 0;
  #looksWithoutChange = 0;

  /** `alwaysCounts`: through a proxy, which may allow few connections. */
  constructor({ alwaysCounts = false }: { alwaysCounts?: boolean } = {}) {
    this.#alwaysCounts = alwaysCounts;
  }

  get isSilent(): boolean {
    return this.#looksWithoutChange >= LOOKS_OF_SILENT && !this.#alwaysCounts;
  }

  look(): void {
    const bytesRead = this.socket?.bytesRead ?? 0;
    this.#looksWithoutChange = bytesRead === this.#bytesRead ? this.#looksWithoutChange + 1 : 0;
    this.#bytesRead = bytesRead;
  }
}

/** Looks are counted, not time: after a pause of the process, what arrived meanwhile is read between two of them. */
const LOOK_EVERY_MS = 250;
const LOOKS_OF_SILENT = 4;
/** Of the sessions that work, beside them, and of those that are open, among them. */
const INTERACTIVE_RESERVE = 1 / 10;

export class GlobalLimiter {
  readonly #limits: SessionLimits;
  readonly #reserve: number;
  readonly #sessions = new Set<CountedSession>();
  readonly #waiters = new SlotWaiters();
  /** Slots in use, also those that were granted just now. */
  #open = 0;
  /** Slots in use by sessions that were not silent at the last look, in all and of the reserve. */
  #working = 0;
  #reserved = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: SessionLimits) {
    this.#limits = limits;
    this.#reserve = Math.ceil(limits.working * INTERACTIVE_RESERVE);
  }

  get hasWaiters(): boolean {
    return this.#waiters.count > 0;
  }

  /**
   * Waits for a slot; false when `signal` aborts first. Every true is followed by one release. What is urgent goes first,
   * what is interactive may use the reserve.
   */
  async acquire(
    session: CountedSession,
    signal: AbortSignal,
    isInteractive: () => boolean,
    isUrgent = isInteractive,
  ): Promise<boolean> {
    if (signal.aborted) return false;
    const onReserve = () => {
      session.isReserved = true;
      this.#reserved++;
    };
    if (!this.hasWaiters && this.#hasRoom) {
      this.#occupy();
    } else if (this.#hasReserve && isInteractive()) {
      onReserve();
      this.#occupy();
    } else {
      this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS);
      const onAbort = () => this.#stopUnneeded();
      const options = { isInteractive, isUrgent, onAbort, onReserve };
      if (!(await this.#waiters.wait(signal, options))) return false;
    }
    this.#sessions.add(session);
    return true;
  }

  release(session: CountedSession): void {
    this.#open--;
    this.#sessions.delete(session);
    if (!session.isSilent) this.#working--;
    if (!session.isSilent && session.isReserved) this.#reserved--;
    this.#grant();
  }

  /** The reserve is counted apart, so that interactive requests never keep lists from the rest. */
  get #hasRoom(): boolean {
    const { working, open } = this.#limits;
    return this.#working - this.#reserved < working && this.#open < Math.max(1, open - this.#reserve);
  }

  get #hasReserve(): boolean {
    return this.#reserved < this.#reserve && this.#open < this.#limits.open;
  }

  #occupy(): void {
    this.#open++;
    this.#working++;
  }

  #look(): void {
    for (const session of this.#sessions) {
      const wasSilent = session.isSilent;
      session.look();
      const change = Number(wasSilent) - Number(session.isSilent);
      this.#working += change;
      if (session.isReserved) this.#reserved += change;
    }
    this.#grant();
    // Only here, because all waiters are searched.
    while (this.#hasReserve && this.#waiters.grantReserve()) this.#occupy();
    this.#stopUnneeded();
  }

  #grant(): void {
    while (this.hasWaiters && this.#hasRoom) {
      this.#occupy();
      this.#waiters.grantNext();
    }
    this.#stopUnneeded();
  }

  /** Only a waiter has a use for looks. */
  #stopUnneeded(): void {
    if (this.hasWaiters) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
