/**
 * The resolver: query a name and a type, get the answer, the negative answer or the failure as a value.
 *
 * A stub resolver of its own instead of node:dns; see docs/decisions/0004-own-dns-client.md. Answers are cached
 * (answer-cache.ts), concurrent queries for a record are merged, and the number in flight is limited. Who waits for a
 * permit is served by priority. A slow lookup returns its permit, and interactive ones have some in reserve: a domain whose
 * name servers are silent takes twelve seconds, and a list with hundreds of them must not hold up anything else.
 */

import { createSemaphore, type SemaphoreWaiter } from "../base/semaphore.ts";
import { createAnswerCache } from "./answer-cache.ts";
import type { DnsAnswer, RecordType } from "./dns-answer.ts";
import { isQueryable, normaliseName } from "./host-name.ts";
import { Lookup, type LookupResult } from "./lookup.ts";
import { createNameServers } from "./name-servers.ts";
import { MAX_ALIASES, readResponse } from "./response-to-answer.ts";
import { ServerLoad } from "./server-load.ts";
import { TimerWheel } from "./timer-wheel.ts";
import { createUdpSockets } from "./udp-sockets.ts";

export type Resolver = {
  /** Never throws: every behaviour of a name server is a value. */
  query<T extends RecordType>(
    name: string,
    type: T,
    priority?: QueryPriority,
    tenant?: string,
  ): Promise<DnsAnswer<T>>;
  /** Aborts running queries and releases all sockets and timers. */
  close(): void;
};

/**
 * What is queried first when more queries wait than may be in flight: interactive ones, then tenants take turns, so that the
 * list of one does not hold up that of another. Of one tenant what is left to ask about a domain comes before the mail
 * exchangers of other domains, so that the first results of a long list come early. Probes need the addresses.
 */
const PRIORITIES = [
  "interactive", // a caller is blocked on the check
  "address",
  "policy",
  "mail_exchanger",
] as const;
export type QueryPriority = (typeof PRIORITIES)[number];

export type ResolverOptions = {
  /** `ip`, `ip:port` or `[ipv6]:port`; those of the operating system by default. An invalid one throws. */
  servers?: readonly string[];
  /** Total time for one lookup, retries included. */
  timeoutMs?: number;
  /** Concurrent lookups of one tenant, apart from slow ones; 4/3 of them in all. */
  maxInFlight?: number;
  /** Maximum number of cached answers. */
  maxCached?: number;
};

export const MAX_LOOKUPS_IN_FLIGHT = 256;
/** Beside them, as a share, for interactive lookups. */
const INTERACTIVE_RESERVE = 1 / 4;
/**
 * Beside them, as a multiple: each may keep a socket open, and resolvers limit open queries too. Further ones keep their
 * permit until one of these has ended.
 */
const MAX_SLOW = 4;
/**
 * Where the servers' capacity is known, at most half of it is for slow lookups, and the rest for all tenants and the reserve:
 * a semaphore has 4/3 of its permits in all.
 */
const SLOW_OF_CAPACITY = 1 / 2 / (4 / 3);
const PERMITS_OF_CAPACITY = 1 / (4 / 3 + INTERACTIVE_RESERVE);

/** A name that a lookup has come to. */
type Step<T extends RecordType> = {
  target: string;
  type: T;
  hops: number;
  ttlSeconds: number;
  onSlow: () => void;
};

export function createResolver({
  servers,
  timeoutMs = 12_000,
  maxInFlight = MAX_LOOKUPS_IN_FLIGHT,
  maxCached = 50_000,
}: ResolverOptions = {}): Resolver {
  const nameServers = createNameServers(servers);
  const load = new ServerLoad();
  const semaphore = createSemaphore(
    () => Math.min(maxInFlight, Math.max(1, Math.floor((load.capacity - slowHeld) * PERMITS_OF_CAPACITY))),
    PRIORITIES.length,
    INTERACTIVE_RESERVE,
  );
  const waiters = new Map<string, SemaphoreWaiter>();
  const cache = createAnswerCache({ maxAnswers: maxCached });
  const lookupDeps = { sockets: createUdpSockets(), wheel: new TimerWheel(timeoutMs), load, timeoutMs };
  const running = new Set<Lookup>();
  /** For lookups that have returned their permit. */
  const slowPermits = createSemaphore(() =>
    Math.min(maxInFlight * MAX_SLOW, load.capacity * SLOW_OF_CAPACITY),
  );
  let slowHeld = 0;
  let isClosed = false;

  const lookUp = (
    name: string,
    type: RecordType,
    onSlow: () => void,
    onEnd: (result: LookupResult) => void,
  ): void => {
    if (isClosed) {
      // Not at once: it passes the permit on to the next of perhaps thousands of waiters.
      queueMicrotask(() => onEnd({ kind: "failed", failure: "closed" }));
      return;
    }
    const onLookupEnd = (result: LookupResult) => {
      running.delete(lookup);
      onEnd(result);
    };
    const callbacks = { onEnd: onLookupEnd, onSlow };
    const lookup = new Lookup(lookupDeps, nameServers.ordered(), { name, type }, callbacks);
    running.add(lookup);
    lookup.start();
  };

  /** Follows CNAMEs that the response leaves open, up to a limit. The first name is queryable. */
  const resolve = <T extends RecordType>(step: Step<T>, onEnd: (answer: DnsAnswer<T>) => void): void => {
    const { target, type, hops, ttlSeconds, onSlow } = step;
    const read = (result: LookupResult): void => {
      if (result.kind === "failed") {
        onEnd({ status: result.failure });
        return;
      }
      for (const server of result.silent) nameServers.demote(server);
      const response = readResponse(result.response, target, type);
      if ("ttlSeconds" in response) response.ttlSeconds = Math.min(ttlSeconds, response.ttlSeconds);
      if (response.status !== "alias") onEnd(response);
      else
        resolve({ ...step, target: response.target, hops: hops + 1, ttlSeconds: response.ttlSeconds }, onEnd);
    };
    if (hops > MAX_ALIASES) onEnd({ status: "alias_loop" });
    else if (hops > 0 && !isQueryable(target)) onEnd({ status: "unaskable" });
    else lookUp(target, type, onSlow, read);
  };

  /** Waits for a permit, which is returned with the answer, or before it if the lookup is slow. */
  const resolveInTurn = <T extends RecordType>(
    key: string,
    target: string,
    type: T,
    { level, tenant }: { level: number; tenant: string | undefined },
  ): Promise<DnsAnswer<T>> =>
    new Promise((settle) => {
      const start = (release: () => void) => {
        waiters.delete(key);
        let releaseCurrent = release;
        let isSlow = false;
        let hasEnded = false;
        const onSlow = () => {
          if (isSlow) return;
          isSlow = true;
          const becomeSlow = (releaseSlow: () => void) => {
            // Not at once: it passes the permit on, perhaps to many others that have ended.
            if (hasEnded) return queueMicrotask(releaseSlow);
            slowHeld++;
            releaseCurrent = () => {
              slowHeld--;
              releaseSlow();
            };
            release();
          };
          slowPermits.acquire(0, becomeSlow, tenant);
        };
        resolve({ target, type, hops: 0, ttlSeconds: Number.POSITIVE_INFINITY, onSlow }, (answer) => {
          hasEnded = true;
          releaseCurrent();
          settle(answer);
        });
      };
      const waiter = semaphore.acquire(level, start, tenant);
      if (waiter) waiters.set(key, waiter);
    });

  return {
    query(name, type, priority = "interactive", tenant) {
      if (isClosed) return Promise.resolve({ status: "closed" });
      const normalised = normaliseName(name);
      if (!isQueryable(normalised)) return Promise.resolve({ status: "unaskable" });
      const key = `${type} ${normalised}`;
      const level = PRIORITIES.indexOf(priority);
      const waiter = waiters.get(key);
      if (waiter) semaphore.raise(waiter, level, tenant);
      return cache.resolve(key, () => resolveInTurn(key, normalised, type, { level, tenant }));
    },
    close() {
      isClosed = true;
      for (const lookup of running) lookup.close();
      lookupDeps.sockets.close();
    },
  };
}
