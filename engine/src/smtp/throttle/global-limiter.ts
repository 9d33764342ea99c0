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
/** As a share of the limits, beside them. */
const INTERACTIVE_RESERVE = 1 / 10;

export class GlobalLimiter {
  readonly #limits: SessionLimits;
  readonly #sessions = new Set<CountedSession>();
  readonly #waiters = new SlotWaiters();
  /** Slots in use, also those that were granted just now. */
  #open = 0;
  /** At the last look. */
  #silent = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: SessionLimits) {
    this.#limits = limits;
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
    if ((!this.hasWaiters && this.#hasRoom()) || (this.#hasRoom(INTERACTIVE_RESERVE) && isInteractive())) {
      this.#open++;
    } else {
      this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS);
      const onAbort = () => this.#stopUnneeded();
      if (!(await this.#waiters.wait(signal, isInteractive, onAbort, isUrgent))) return false;
    }
    this.#sessions.add(session);
    return true;
  }

  release(session: CountedSession): void {
    this.#open--;
    this.#sessions.delete(session);
    if (session.isSilent) this.#silent--;
    this.#grant();
  }

  #hasRoom(reserve = 0): boolean {
    const { working, open } = this.#limits;
    const isBelow = (used: number, limit: number) => used < limit + Math.ceil(limit * reserve);
    return isBelow(this.#open - this.#silent, working) && isBelow(this.#open, open);
  }

  #look(): void {
    this.#silent = 0;
    for (const session of this.#sessions) {
      session.look();
      if (session.isSilent) this.#silent++;
    }
    this.#grant();
    // Only here, because all waiters are searched.
    while (this.#hasRoom(INTERACTIVE_RESERVE) && this.#waiters.grantInteractive()) this.#open++;
    this.#stopUnneeded();
  }

  #grant(): void {
    while (this.hasWaiters && this.#hasRoom()) {
      this.#open++;
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
