/** Whether a caller is blocked on the result. May be raised while the request is queued or running. */
export class RequestPriority {
  #isUrgent: boolean;
  #listener: (() => void) | undefined;

  constructor(isUrgent = false) {
    this.#isUrgent = isUrgent;
  }

  get isUrgent(): boolean {
    return this.#isUrgent;
  }

  /** The listener is called once, when the request becomes urgent. */
  onRaise(listener: () => void): void {
    this.#listener = listener;
  }

  raise(): void {
    if (this.#isUrgent) return;
    this.#isUrgent = true;
    this.#listener?.();
  }

  /** The request is done: drops the listener. */
  end(): void {
    this.#listener = undefined;
  }
}
