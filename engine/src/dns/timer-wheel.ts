/**
 * Deadlines of many lookups on one timer (a hashed timing wheel).
 *
 * Entries are sorted into slots of a fixed width and fire up to one width late, never early. The timer exists only while
 * there are entries.
 */

export type WheelEntry = {
  onDeadline(): void;
  /** Its slot and deadline, written by the wheel. */
  slot: Set<WheelEntry> | undefined;
  dueTick: number;
};

const SLOTS = 256;

export class TimerWheel {
  readonly #widthMs: number;
  readonly #slots = Array.from({ length: SLOTS + 2 }, () => new Set<WheelEntry>());
  #entries = 0;
  /** The last slot that was visited, counted from the start of the clock. */
  #visited = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `longestMs` is the longest delay that entries will have. */
  constructor(longestMs: number) {
    this.#widthMs = longestMs / SLOTS;
  }

  /** Replaces an earlier deadline of the entry. */
  schedule(entry: WheelEntry, delayMs: number): void {
    this.cancel(entry);
    const nowMs = performance.now();
    if (this.#entries === 0) this.#visited = Math.floor(nowMs / this.#widthMs);
    entry.dueTick = Math.max(this.#visited + 1, Math.ceil((nowMs + delayMs) / this.#widthMs));
    entry.slot = this.#slotAt(entry.dueTick);
    entry.slot.add(entry);
    this.#entries++;
    this.#timer ??= setTimeout(() => this.#turn(), this.#widthMs);
  }

  cancel(entry: WheelEntry): void {
    if (!entry.slot) return;
    entry.slot.delete(entry);
    entry.slot = undefined;
    this.#entries--;
    if (this.#entries > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #turn(): void {
    this.#timer = undefined;
    const current = Math.floor(performance.now() / this.#widthMs);
    // After a long pause of the process every slot is visited once.
    const first = Math.max(this.#visited + 1, current - this.#slots.length + 1);
    this.#visited = current;
    const visited: WheelEntry[] = [];
    for (let tick = first; tick <= current; tick++) visited.push(...this.#slotAt(tick));
    for (const entry of visited) {
      // Not if an entry before it cancelled it, or if it belongs to the next turn of the wheel.
      if (!entry.slot || entry.dueTick > current) continue;
      this.cancel(entry);
      entry.onDeadline();
    }
    if (this.#entries > 0) this.#timer ??= setTimeout(() => this.#turn(), this.#widthMs);
  }

  #slotAt(tick: number): Set<WheelEntry> {
    return this.#slots[tick % this.#slots.length]!;
  }
}
