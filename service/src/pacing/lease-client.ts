/**
 * Acquires and releases leases for the limiters of this process. Requests of one moment go into one statement; those that get
 * nothing are repeated.
 *
 * Without the database there are no new leases, and releases are written later.
 */

import type { LogEvent } from "../base/log-events.ts";
import type { Demand, HostLease, LeaseRequest, LeaseResponse, LeaseStatements } from "./lease-sql.ts";
import { createRounds } from "./retried-rounds.ts";

/** A limiter of one host or provider (shared-host-limiter.ts). */
export type LeaseHolder = {
  readonly key: string;
  /** What it needs now; undefined for nothing. */
  request(): LeaseRequest | undefined;
  receive(answer: LeaseResponse, askedAtMs: number): void;
};

export type LeaseClient = {
  /** Requests leases until the holder needs none. With `isDue` without delay. */
  apply(holder: LeaseHolder, isDue: boolean): void;
  release(lease: HostLease): void;
  /** This process no longer waits there. */
  cancelWait(key: string): void;
  /** The leases known here may be wrong. */
  requestAudit(): void;
  /** Releases everything. */
  close(): Promise<void>;
};

export type LeaseClientDeps = {
  statements: LeaseStatements;
  /** Demand of other processes at the time of the request. */
  onDemand(key: string, demand: Demand, askedAtMs: number): void;
  /** Another process has this lease by now. */
  onLost(lease: HostLease): void;
  log: LogEvent;
};

const MOST_PER_STATEMENT = 200;
/** A notification announces free leases; polling is for lost notifications and dead processes. */
const URGENT_LOOK_MS = 250;
const FIRST_LOOK_MS = 250;
const LONGEST_LOOK_MS = 1000;
/** However long the delay: a waiter has to be renewed. */
const LONGEST_REST_BELIEVED_MS = 2000;
const AUDIT_EVERY_MS = 10_000;

type Look = { atMs: number; pauseMs: number };

export function createLeaseClient({ statements, onDemand, onLost, log }: LeaseClientDeps): LeaseClient {
  const looks = new Map<LeaseHolder, Look>();
  const leases = new Map<string, HostLease>();
  let leaving: HostLease[] = [];
  const cancelled = new Set<string>();
  let auditAtMs = performance.now() + AUDIT_EVERY_MS;

  const round = async (): Promise<number | undefined> => {
    try {
      if (performance.now() >= auditAtMs) await audit();
      await releaseAll();
      await askForAll();
    } catch (error) {
      auditAtMs = 0; // the statement may have been committed or not
      throw error;
    }
    return nextInMs();
  };

  const audit = async () => {
    const believed = [...leases.values()];
    const askedAtMs = performance.now();
    auditAtMs = askedAtMs + AUDIT_EVERY_MS; // before the statement: one that is requested while it runs is due after it
    const { demands, lost } = await statements.audit(believed);
    for (const lease of lost) {
      leases.delete(nameOf(lease));
      onLost(lease);
    }
    for (const key of new Set(believed.map((lease) => lease.key)))
      onDemand(key, demands.get(key) ?? "none", askedAtMs);
  };

  const releaseAll = async () => {
    while (leaving.length > 0 || cancelled.size > 0) {
      const given = leaving.slice(0, MOST_PER_STATEMENT);
      const keys = [...cancelled].slice(0, MOST_PER_STATEMENT);
      const askedAtMs = performance.now();
      const demands = await statements.release(given, keys);
      leaving = leaving.slice(given.length);
      for (const key of keys) cancelled.delete(key);
      for (const lease of given) leases.delete(nameOf(lease));
      for (const { key } of given) onDemand(key, demands.get(key) ?? "none", askedAtMs);
    }
  };

  const askForAll = async () => {
    const asking = dueNow();
    if (asking.length === 0) return;
    const askedAtMs = performance.now();
    const answers = await statements.ask(asking.map(({ request }) => request));
    for (const [i, { holder, look, request }] of asking.entries()) {
      const { key } = holder;
      const answer = answers[i]!;
      for (const number of answer.numbers) leases.set(nameOf({ key, number }), { key, number });
      holder.receive(answer, askedAtMs);
      // Unless it became due again meanwhile.
      if (looks.get(holder) === look) scheduleNext(holder, look, request.wanted, answer);
    }
  };

  /** Due holders, interactive ones first. */
  const dueNow = () => {
    const nowMs = performance.now();
    const due: { holder: LeaseHolder; look: Look; request: LeaseRequest }[] = [];
    const keys = new Set<string>(); // each at most once per statement
    for (const [holder, look] of looks) {
      if (look.atMs > nowMs || keys.has(holder.key)) continue;
      const request = holder.request();
      if (!request) {
        looks.delete(holder);
        continue;
      }
      due.push({ holder, look, request });
      keys.add(holder.key);
    }
    return [
      ...due.filter((one) => one.request.isUrgent),
      ...due.filter((one) => !one.request.isUrgent),
    ].slice(0, MOST_PER_STATEMENT);
  };

  const scheduleNext = (holder: LeaseHolder, look: Look, asked: number, answer: LeaseResponse) => {
    const request = holder.request();
    if (!request) {
      looks.delete(holder);
      return;
    }
    const { numbers, restLeftMs } = answer;
    const inMs = [
      [restLeftMs > 0, Math.min(restLeftMs, LONGEST_REST_BELIEVED_MS)],
      [numbers.length >= asked, 0], // more sessions wait meanwhile
      [request.isUrgent, URGENT_LOOK_MS],
      [true, look.pauseMs],
    ] as const;
    looks.set(holder, {
      atMs: performance.now() + inMs.find(([applies]) => applies)![1],
      pauseMs: numbers.length > 0 ? FIRST_LOOK_MS : Math.min(look.pauseMs * 2, LONGEST_LOOK_MS),
    });
  };

  const nextInMs = (): number | undefined => {
    if (leaving.length > 0 || cancelled.size > 0) return 0;
    let atMs = leases.size > 0 ? auditAtMs : Number.POSITIVE_INFINITY;
    for (const look of looks.values()) atMs = Math.min(atMs, look.atMs);
    return atMs === Number.POSITIVE_INFINITY ? undefined : Math.max(0, atMs - performance.now());
  };

  const rounds = createRounds({ round, name: "leases", log });
  return {
    apply(holder, isDue) {
      const look = looks.get(holder);
      if (look && !isDue) return;
      looks.set(holder, { atMs: 0, pauseMs: FIRST_LOOK_MS });
      rounds.wake();
    },
    release(lease) {
      leaving.push(lease);
      rounds.wake();
    },
    cancelWait(key) {
      cancelled.add(key);
      rounds.wake();
    },
    requestAudit() {
      auditAtMs = 0;
      if (leases.size > 0) rounds.wake();
    },
    async close() {
      await rounds.close();
      // Without the database they are released when this process is found to be dead.
      await statements.leave().catch(() => {});
    },
  };
}

const nameOf = ({ key, number }: HostLease) => `${number} ${key}`;
