/**
 * Requests waiting at a host pool, by domain. A batch takes several requests of one domain together, and domains take
 * turns, so that a large one does not delay the small ones. Interactive requests of all domains come first, as far as
 * PriorityOrder (host-limiter.ts) allows.
 *
 * Selects only. Limits of a batch come from session-budget.ts; the state of a request is in probe-request.ts.
 */

import type { ProbeRequest } from "./probe-request.ts";
import { PriorityOrder } from "./throttle/host-limiter.ts";

type DomainQueue = { interactive: ProbeRequest[]; batch: ProbeRequest[]; decoys: ProbeRequest[] };

/** What the batch contains so far, by domain. */
type Taken = Map<string, ProbeRequest[]>;

/** What a batch has room for. It is told of everything that is taken. */
export type BatchRoom = {
  /** Whether so many more targets and decoys of a domain fit. */
  fits(domain: string, targets: number, decoys: number): boolean;
  add(domain: string, targets: number, decoys: number): void;
  /** The most targets of a domain that the batch takes. */
  targetsOf(domain: string): number;
};

export type BatchLimits = {
  host: string;
  /** Index of the egress identity that asks. */
  identity?: number;
  /** Hosts that had no requests when the session was opened. Requests for them that have arrived since are left to them. */
  passedOver?: readonly string[];
  room: BatchRoom;
  recipientsPerTransaction: number;
  /** Decoys join targets of their domain where there is room for both, needed or not. */
  withUnneededDecoys: boolean;
};

export class ProbeQueue {
  readonly #domains = new Map<string, DomainQueue>();
  /** Domains that may have an interactive request. */
  readonly #interactiveDomains = new Set<string>();
  readonly #order = new PriorityOrder();
  /** Refused by a host where nothing could show that it does not refuse every recipient. */
  readonly #parked: ProbeRequest[] = [];

  add(request: ProbeRequest): void {
    request.enqueue();
    const { domain } = request;
    const queue = this.#domains.get(domain) ?? { interactive: [], batch: [], decoys: [] };
    this.#domains.set(domain, queue);
    (request.isDecoy ? queue.decoys : request.isInteractive ? queue.interactive : queue.batch).push(request);
    if (request.isInteractive) this.#prioritise(domain, queue);
  }

  /** Makes a request interactive. One that is in flight is interactive when it returns to the queue. */
  raisePriority(request: ProbeRequest): void {
    if (request.isInteractive || request.hasEnded) return;
    request.raisePriority();
    const queue = this.#domains.get(request.domain);
    if (!queue) return;
    const index = queue.batch.indexOf(request);
    if (index >= 0) queue.interactive.push(...queue.batch.splice(index, 1));
    this.#prioritise(request.domain, queue);
  }

  #prioritise(domain: string, queue: DomainQueue): void {
    this.#interactiveDomains.add(domain);
    for (const decoy of queue.decoys) decoy.raisePriority();
  }

  /** Domains with a request. */
  get domainCount(): number {
    return this.#domains.size;
  }

  get hasInteractive(): boolean {
    for (const domain of this.#interactiveDomains) {
      const queue = this.#domains.get(domain);
      if (queue && (queue.interactive.length > 0 || queue.decoys.some(isInteractiveAndNeeded))) return true;
    }
    return false;
  }

  hasRequestsFor(host: string, identity?: number, passedOver: readonly string[] = []): boolean {
    const isOpen = (one: ProbeRequest) => one.isFor(host, identity, passedOver);
    for (const { interactive, batch, decoys } of this.#domains.values()) {
      if (interactive.some(isOpen) || batch.some(isOpen)) return true;
      if (decoys.some((one) => one.isNeeded && isOpen(one))) return true;
    }
    return false;
  }

  /** Requests whose answer is needed. Counting stops at `enough`. */
  count(enough: number): number {
    let count = 0;
    for (const { interactive, batch, decoys } of this.#domains.values()) {
      count += interactive.length + batch.length + decoys.filter((one) => one.isNeeded).length;
      if (count >= enough) return enough;
    }
    return count;
  }

  /** Of a request that waits, if any has one. */
  get trace(): string | undefined {
    for (const { interactive, batch } of this.#domains.values()) {
      const traced = interactive.find(hasTrace) ?? batch.find(hasTrace);
      if (traced) return traced.trace;
    }
    return undefined;
  }

  /**
   * The next batch for a host: one group of recipients per domain, with and without SMTPUTF8. Those with a decoy are last, because
   * its refusal is a control of all that were accepted before it.
   */
  take(limits: BatchLimits): ProbeRequest[][] {
    const taken: Taken = new Map();
    const isBatchNext = this.#order.isBatchNext;
    if (!isBatchNext) this.#takeInteractive(limits, taken);
    const interactive = countOf(taken);
    this.#takeBatch(limits, taken);
    const isInteractiveOnly = interactive > 0 && countOf(taken) === interactive;
    this.#order.served(isInteractiveOnly ? "interactive" : "batch");
    if (isBatchNext) this.#takeInteractive(limits, taken);
    const groups = [...taken.values()].flatMap(bySmtpUtf8);
    return [...groups.filter((group) => !hasDecoy(group)), ...groups.filter(hasDecoy)];
  }

  #takeInteractive(limits: BatchLimits, taken: Taken): void {
    for (const domain of [...this.#interactiveDomains]) {
      if (!limits.room.fits(domain, 1, 0)) return;
      const queue = this.#domains.get(domain);
      if (queue) {
        this.#takeFrom(domain, queue, { priority: "interactive" }, limits, taken);
        this.#forgetIfEmpty(domain, queue);
      }
      this.#interactiveDomains.delete(domain); // re-added at the end if it still has interactive requests
      if (queue && (queue.interactive.length > 0 || queue.decoys.some((one) => one.isInteractive)))
        this.#interactiveDomains.add(domain);
    }
  }

  #takeBatch(limits: BatchLimits, taken: Taken): void {
    const { room } = limits;
    for (const [domain, queue] of [...this.#domains]) {
      if (queue.batch.length === 0 && !queue.decoys.some((one) => one.isNeeded)) continue;
      if (!room.fits(domain, 1, 0)) return;
      // The first mailbox of a domain comes with the decoy that it may need.
      const hasDecoyToo = limits.withUnneededDecoys && queue.decoys.length > 0;
      if (hasDecoyToo && taken.size > 0 && !room.fits(domain, 1, 1)) return;
      const maxTargets = room.targetsOf(domain);
      this.#takeFrom(domain, queue, { priority: "batch", maxTargets }, limits, taken);
      this.#domains.delete(domain);
      this.#domains.set(domain, queue); // at the end
      this.#forgetIfEmpty(domain, queue);
    }
  }

  #takeFrom(
    domain: string,
    queue: DomainQueue,
    {
      priority,
      maxTargets = Number.POSITIVE_INFINITY,
    }: { priority: "interactive" | "batch"; maxTargets?: number },
    { host, identity, passedOver = [], recipientsPerTransaction, withUnneededDecoys, room }: BatchLimits,
    taken: Taken,
  ): void {
    const group = taken.get(domain) ?? [];
    const maxGroup = Math.max(1, recipientsPerTransaction);
    const mayAddUnneeded = withUnneededDecoys && maxGroup > 1 && queue[priority].length > 0;
    const decoys: ProbeRequest[] = [];
    for (const one of queue.decoys) {
      if (!one.isFor(host, identity, passedOver)) continue;
      // A needed decoy may take the last slot; one that is not must leave room for a target.
      const isDue = priority === "interactive" ? isInteractiveAndNeeded(one) : one.isNeeded;
      if (!isDue && !(mayAddUnneeded && room.fits(domain, 1, 1))) continue;
      room.add(domain, 0, 1);
      decoys.push(one);
    }
    let targetsLeft = Math.min(
      maxTargets - group.filter((one) => !one.isDecoy).length,
      maxGroup - group.length - decoys.length,
    );
    const targets: ProbeRequest[] = [];
    const rest: ProbeRequest[] = [];
    for (const one of queue[priority]) {
      if (targetsLeft > 0 && one.isFor(host, identity, passedOver)) {
        if (room.fits(domain, 1, 0)) {
          room.add(domain, 1, 0);
          targets.push(one);
          targetsLeft--;
          continue;
        }
        targetsLeft = 0; // it is not asked again for every request that waits
      }
      rest.push(one);
    }
    queue[priority] = rest;
    queue.decoys = queue.decoys.filter((one) => !decoys.includes(one));
    for (const one of [...targets, ...decoys]) {
      one.take();
      group.push(one);
    }
    if (group.length > 0) taken.set(domain, group);
  }

  /** A mailbox of the domain was accepted, so its decoy is needed. */
  needDecoy(domain: string): void {
    for (const decoy of this.#domains.get(domain)?.decoys ?? []) decoy.markNeeded();
  }

  /** The decoy of a domain, taken ahead of its turn: it is the control of mailboxes that were asked already. */
  takeDecoy(domain: string, host: string, identity: number): ProbeRequest | undefined {
    const queue = this.#domains.get(domain);
    const decoy = queue?.decoys.find((one) => one.isFor(host, identity, []));
    if (!queue || !decoy) return undefined;
    queue.decoys = queue.decoys.filter((one) => one !== decoy);
    this.#forgetIfEmpty(domain, queue);
    decoy.take();
    return decoy;
  }

  /** Keeps a held request until `takeParked`. */
  park(request: ProbeRequest): void {
    this.#parked.push(request);
  }

  takeParked(): ProbeRequest[] {
    return this.#parked.splice(0);
  }

  /** Removes every target of a domain, for the caller to end. */
  removeTargets(domain: string): ProbeRequest[] {
    const queue = this.#domains.get(domain);
    if (!queue) return [];
    const targets = [...queue.interactive, ...queue.batch];
    queue.interactive = [];
    queue.batch = [];
    this.#forgetIfEmpty(domain, queue);
    return targets;
  }

  /** Removes a decoy that is not needed, for the caller to end; false if it is not in the queue, or needed. */
  removeUnneeded(decoy: ProbeRequest): boolean {
    const queue = this.#domains.get(decoy.domain);
    if (decoy.isNeeded || !queue?.decoys.includes(decoy)) return false;
    queue.decoys = queue.decoys.filter((one) => one !== decoy);
    this.#forgetIfEmpty(decoy.domain, queue);
    return true;
  }

  #forgetIfEmpty(domain: string, { interactive, batch, decoys }: DomainQueue): void {
    if (interactive.length > 0 || batch.length > 0 || decoys.length > 0) return;
    this.#domains.delete(domain);
    this.#interactiveDomains.delete(domain);
  }

  /** Removes every request except those to keep, for the caller to end. */
  removeAll(isKept: (request: ProbeRequest) => boolean = () => false): ProbeRequest[] {
    const removed: ProbeRequest[] = [];
    const keep = (requests: ProbeRequest[]) => {
      const kept: ProbeRequest[] = [];
      for (const one of requests) (isKept(one) ? kept : removed).push(one);
      return kept;
    };
    for (const [domain, queue] of this.#domains) {
      queue.interactive = keep(queue.interactive);
      queue.batch = keep(queue.batch);
      queue.decoys = keep(queue.decoys);
      this.#forgetIfEmpty(domain, queue);
    }
    return removed;
  }
}

function countOf(taken: Taken): number {
  let count = 0;
  for (const group of taken.values()) count += group.length;
  return count;
}

const hasDecoy = (group: readonly ProbeRequest[]) => group.some(({ isDecoy }) => isDecoy);

const hasTrace = ({ trace }: ProbeRequest) => trace !== undefined;

function isInteractiveAndNeeded(decoy: ProbeRequest): boolean {
  return decoy.isInteractive && decoy.isNeeded;
}

/**
 * SMTPUTF8 is declared with MAIL, so recipients that need it have a transaction of their own. Decoys come last, also where
 * interactive and other requests were taken one after the other.
 */
function bySmtpUtf8(group: ProbeRequest[]): ProbeRequest[][] {
  const utf8 = group.filter((one) => one.smtpUtf8);
  const plain = group.filter((one) => !one.smtpUtf8 && !one.isDecoy);
  const decoys = group.filter((one) => one.isDecoy);
  return [utf8, [...plain, ...decoys]].filter((part) => part.length > 0);
}
