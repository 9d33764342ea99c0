/** Whether a caller is blocked on the result, and whose it is. May be raised while the request is queued or running. */
export class RequestPriority {
  /** Lookups of tenants take turns. */
  readonly tenant: string | undefined;
  #isUrgent: boolean;
  #listeners: (() => void)[] = [];

  constructor(isUrgent = false, tenant?: string) {
    this.#isUrgent = isUrgent;
    this.tenant = tenant;
  }

  get isUrgent(): boolean {
    return this.#isUrgent;
  }

  /** Listeners are called once, when the request becomes urgent. */
  onRaise(listener: () => void): void {
    this.#listeners.push(listener);
  }

  raise(): void {
    if (this.#isUrgent) return;
    this.#isUrgent = true;
    for (const listener of this.#listeners) listener();
  }

  /** The request is done: drops the listeners. */
  end(): void {
    this.#listeners = [];
  }
}
