/**
 * Concurrent map over a list of addresses, a domain's addresses together, so that a mail host gets them in one session
 * instead of one for every part of the list.
 *
 * Reads ahead, and then starts domains in the order of their first address. Once started, a domain has up to `perDomain`
 * addresses in flight, and when one is done the next of the same domain follows. At most `window` items are held
 * (waiting, in flight or not yet yielded), so memory is bounded. A result is yielded as soon as it is ready and its
 * turn has come, even if the source is slow. A failure of the source is thrown after all results of the items before it.
 */
import { FifoQueue } from "./fifo-queue.ts";

export type MapOptions = {
  /** Results in input order; otherwise in completion order. */
  isOrdered: boolean;
  /** Items read ahead. */
  window: number;
  /** Items in flight, in all and per domain. */
  concurrency: number;
  perDomain: number;
};

/** How long nothing starts while the first window is being read, so that a domain does not start with half of its addresses. */
const READ_FIRST_MS = 200;

/** `outcome` is set when the work on the item has ended. */
type Slot<T, R> = { item: T; email: string; outcome?: { value: R } | { error: unknown } };

export async function* mapByDomain<T, R>(
  items: AsyncIterable<T> | Iterable<T>,
  emailOf: (item: T) => string,
  { isOrdered, window, concurrency, perDomain }: MapOptions,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const schedule = new DomainSchedule<Slot<T, R>>(perDomain);
  const results = new FifoQueue<Slot<T, R>>(); // in input order from the start, or in completion order
  let held = 0;
  let inFlight = 0;
  let isReading = false;
  let isDrained = false;
  let hasLeft = false; // the consumer
  let failure: { error: unknown } | undefined;
  let wake = () => {};
  let firstRead: NodeJS.Timeout | "over" | undefined;

  const read = async () => {
    isReading = true;
    try {
      while (!isDrained && !hasLeft && held < window) {
        const next = await source.next();
        if (next.done) isDrained = true;
        else hold(next.value);
        wake();
      }
    } catch (error) {
      failure = { error };
      isDrained = true;
    }
    isReading = false;
    endFirstRead(); // the window is full, or the source has ended
    wake();
  };

  const endFirstRead = () => {
    if (firstRead === "over") return;
    clearTimeout(firstRead);
    firstRead = "over";
    start();
  };

  const hold = (item: T) => {
    const slot: Slot<T, R> = { item, email: emailOf(item) };
    held++;
    if (isOrdered) results.push(slot);
    schedule.add(domainOf(slot.email), slot);
    if (firstRead === "over") start();
    else firstRead ??= setTimeout(endFirstRead, READ_FIRST_MS);
  };

  const start = (preferred?: string) => {
    while (inFlight < concurrency && !hasLeft) {
      const slot = schedule.take(preferred);
      if (!slot) return;
      inFlight++;
      work(slot.item).then(
        (value) => end(slot, { value }),
        (error: unknown) => end(slot, { error }),
      );
    }
  };

  const end = (slot: Slot<T, R>, outcome: NonNullable<Slot<T, R>["outcome"]>) => {
    inFlight--;
    slot.outcome = outcome;
    if (!isOrdered) results.push(slot);
    const domain = domainOf(slot.email);
    schedule.ended(domain);
    start(domain);
    wake();
  };

  try {
    for (;;) {
      if (!isReading && !isDrained && held < window) void read();
      const outcome = results.peek()?.outcome;
      if (outcome) {
        results.shift();
        if ("error" in outcome) throw outcome.error;
        yield outcome.value;
        held--;
      } else if (isDrained && held === 0) {
        if (failure) throw failure.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    hasLeft = true;
    endFirstRead();
    // Not awaited: return() on a generator waits for its pending next(), which may never settle.
    if (!isDrained) Promise.resolve(source.return?.()).catch(() => {});
  }
}

const domainOf = (email: string) => email.slice(email.lastIndexOf("@") + 1).toLowerCase();

type Domain<T> = { waiting: FifoQueue<T>; inFlight: number; isStarted: boolean };

/** Which item is next: of the preferred domain, of one that has been started, or else of the next one. */
class DomainSchedule<T> {
  readonly #perDomain: number;
  readonly #domains = new Map<string, Domain<T>>();
  /** Domains with items waiting and room for them. */
  readonly #started = new Set<Domain<T>>();
  readonly #fresh = new Set<Domain<T>>();

  constructor(perDomain: number) {
    this.#perDomain = perDomain;
  }

  add(name: string, item: T): void {
    let domain = this.#domains.get(name);
    if (!domain) {
      domain = { waiting: new FifoQueue(), inFlight: 0, isStarted: false };
      this.#domains.set(name, domain);
    }
    domain.waiting.push(item);
    this.#place(domain);
  }

  take(preferred?: string): T | undefined {
    const domain = this.#ready(preferred) ?? first(this.#started) ?? first(this.#fresh);
    if (!domain) return undefined;
    const item = domain.waiting.shift();
    domain.inFlight++;
    domain.isStarted = true;
    this.#place(domain);
    return item;
  }

  ended(name: string): void {
    const domain = this.#domains.get(name)!;
    domain.inFlight--;
    this.#place(domain);
    if (domain.waiting.size === 0 && domain.inFlight === 0) this.#domains.delete(name);
  }

  #ready(name = ""): Domain<T> | undefined {
    const domain = this.#domains.get(name);
    return domain && this.#started.has(domain) ? domain : undefined;
  }

  #place(domain: Domain<T>): void {
    const isReady = domain.waiting.size > 0 && domain.inFlight < this.#perDomain;
    if (isReady && domain.isStarted) this.#started.add(domain);
    else this.#started.delete(domain);
    if (isReady && !domain.isStarted) this.#fresh.add(domain);
    else this.#fresh.delete(domain);
  }
}

function first<T>(items: Set<T>): T | undefined {
  return items.values().next().value;
}
