/** Whether somebody waits for an answer in person. That may come to be so while the question is on its way. */
export class RequestPriority {
  #isUrgent: boolean;
  #tell: (() => void) | undefined;

  constructor(isUrgent = false) {
    this.#isUrgent = isUrgent;
  }

  get isUrgent(): boolean {
    return this.#isUrgent;
  }

  /** Whoever has the question in hand is told when it becomes urgent. */
  onRaise(tell: () => void): void {
    this.#tell = tell;
  }

  raise(): void {
    if (this.#isUrgent) return;
    this.#isUrgent = true;
    this.#tell?.();
  }

  /** The answer is there: nobody need be told any more. */
  end(): void {
    this.#tell = undefined;
  }
}
