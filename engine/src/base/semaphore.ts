/**
 * Semaphore with priorities and tenants: one tenant runs at most `permits` tasks at once. Waiters of the first level have
 * permits of their own, `reserve` as a share of the others, and start before all others whose tenants may start something. Apart from that tenants
 * take turns; waiters of one tenant start in order of their level, lowest number first, and within a level in FIFO order.
 *
 * A tenant never occupies everything: it holds at most three times as many permits as are free for others (the dynamic
 * threshold of shared packet buffers). One has `permits` of the 4/3 that there are, two have 4/7 each, three 2/5.
 */
import { FifoQueue } from "./fifo-queue.ts";

export type Semaphore = {
  /** Runs the task when there is a permit for it. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Runs `start` now or when there is a permit, which it must release once. Undefined if it has started. */
  acquire(level: number, start: Start, tenant?: string): SemaphoreWaiter | undefined;
  /** Adds a waiter to the end of a level with a lower number, or of a tenant that waits for the same. */
  raise(waiter: SemaphoreWaiter, level: number, tenant?: string): void;
};

type Start = (release: () => void) => void;
export type SemaphoreWaiter = {
  level: number;
  readonly tenant: Tenant;
  /** Others that wait for it. */
  sharedWith?: Set<Tenant>;
  /** Until it starts. It may be in several queues, and starts from the first. */
  start: Start | undefined;
};

/** `held`: its permits, apart from those of the reserve. */
type Tenant = { readonly name: string; held: number; readonly queues: FifoQueue<SemaphoreWaiter>[] };

/** The number of permits may change, and is at least one. More of them are used from the next release on. */
export function createSemaphore(permits: number | (() => number), levels = 1, reserve = 0): Semaphore {
  const permitsNow = typeof permits === "number" ? () => permits : permits;
  const tenants = new Map<string, Tenant>();
  /** Those that may have a waiter. The one whose turn is next comes first. */
  const turns = new Set<Tenant>();
  let held = 0;
  let heldOfReserve = 0;
  /** Places in the queues of the first level. */
  let urgent = 0;
  const mayHoldMore = (tenant: Tenant) => tenant.held < 4 * permitsNow() - 3 * held;
  const isReserveUsed = () => heldOfReserve >= Math.ceil(permitsNow() * reserve);

  const tenantOf = (name: string): Tenant => {
    let tenant = tenants.get(name);
    if (!tenant) {
      tenant = { name, held: 0, queues: Array.from({ length: levels }, () => new FifoQueue()) };
      tenants.set(name, tenant);
    }
    return tenant;
  };
  const enqueue = (waiter: SemaphoreWaiter, tenant: Tenant, level: number): void => {
    if (level === 0) urgent++;
    tenant.queues[level]!.push(waiter);
    turns.add(tenant);
  };
  /** Removes the next waiter of these levels that has not started from elsewhere. */
  const takeFrom = ({ queues }: Tenant, from: number, to: number): Start | undefined => {
    for (let level = from; level < to; level++) {
      const queue = queues[level]!;
      for (let waiter = queue.shift(); waiter; waiter = queue.shift()) {
        if (level === 0) urgent--;
        const { start } = waiter;
        waiter.start = undefined;
        if (start) return start;
      }
    }
    return undefined;
  };

  const leave = (tenant: Tenant): void => {
    turns.delete(tenant);
    forgetIfIdle(tenant);
  };
  /** It may have a successor of the same name already, while it still has a permit of the reserve. */
  const forgetIfIdle = (tenant: Tenant): void => {
    if (tenant.held === 0 && tenants.get(tenant.name) === tenant) tenants.delete(tenant.name);
  };

  /** Counted before the task runs, so that a newcomer cannot overtake. */
  const run = (tenant: Tenant, start: Start, isOfReserve = false): void => {
    if (isOfReserve) heldOfReserve++;
    else {
      held++;
      tenant.held++;
    }
    start(() => {
      if (isOfReserve) heldOfReserve--;
      else {
        held--;
        tenant.held--;
      }
      startWaiters();
      if (!turns.has(tenant)) forgetIfIdle(tenant);
    });
  };

  const startWaiters = (): void => {
    while ((urgent > 0 && startUrgent()) || startOther());
  };
  const startUrgent = (): boolean => {
    for (const tenant of turns) {
      const isOfReserve = !mayHoldMore(tenant);
      if (isOfReserve && isReserveUsed()) continue;
      const start = takeFrom(tenant, 0, 1);
      if (!start) continue;
      giveTurn(tenant, start, isOfReserve);
      return true;
    }
    return false;
  };
  const startOther = (): boolean => {
    for (const tenant of turns) {
      if (!mayHoldMore(tenant)) continue;
      const start = takeFrom(tenant, 1, levels);
      if (start) {
        giveTurn(tenant, start);
        return true;
      }
      if (tenant.queues[0]!.size === 0) leave(tenant);
    }
    return false;
  };
  const giveTurn = (tenant: Tenant, start: Start, isOfReserve = false): void => {
    if (turns.size > 1) {
      turns.delete(tenant);
      turns.add(tenant); // at the end
    }
    run(tenant, start, isOfReserve);
  };

  const acquire: Semaphore["acquire"] = (level, start, name = "") => {
    const tenant = tenantOf(name);
    const isOfReserve = !mayHoldMore(tenant);
    if (!isOfReserve || (level === 0 && !isReserveUsed())) {
      run(tenant, start, isOfReserve);
      return undefined;
    }
    const waiter = { level, tenant, start };
    enqueue(waiter, tenant, level);
    return waiter;
  };

  return {
    acquire,
    async run(task) {
      const release = await new Promise<() => void>((resolve) => acquire(levels - 1, resolve));
      try {
        return await task();
      } finally {
        release();
      }
    },
    raise(waiter, level, name = waiter.tenant.name) {
      if (!waiter.start) return;
      const tenant = tenantOf(name);
      const isOfTenant = tenant === waiter.tenant || waiter.sharedWith?.has(tenant);
      if (isOfTenant && level >= waiter.level) return;
      if (!isOfTenant) {
        waiter.sharedWith ??= new Set();
        waiter.sharedWith.add(tenant);
      }
      waiter.level = Math.min(level, waiter.level);
      enqueue(waiter, tenant, level);
      startWaiters(); // there may be a permit for its new level or tenant
    },
  };
}
