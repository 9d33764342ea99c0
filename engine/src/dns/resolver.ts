/**
 * The resolver: query a name and a type, get the answer, the negative answer or the failure as a value.
 *
 * A stub resolver of its own instead of node:dns; see docs/decisions/0004-own-dns-client.md. Answers are cached
 * (answer-cache.ts), concurrent queries for a record are merged, and the number in flight is limited.
 */

import { createAnswerCache } from "./answer-cache.ts";
import type { DnsAnswer, RecordType } from "./dns-answer.ts";
import { isQueryable, normaliseName } from "./host-name.ts";
import { type Lookup, startLookup } from "./lookup.ts";
import { createNameServers } from "./name-servers.ts";
import { MAX_ALIASES, type ResponseResult, readResponse } from "./response-to-answer.ts";
import { createSemaphore } from "./semaphore.ts";

export type Resolver = {
  /** Never throws: every behaviour of a name server is a value. */
  query<T extends RecordType>(name: string, type: T): Promise<DnsAnswer<T>>;
  /** Aborts running queries and releases all sockets and timers. */
  close(): void;
};

export type ResolverOptions = {
  /** `ip`, `ip:port` or `[ipv6]:port`; those of the operating system by default. An invalid one throws. */
  servers?: readonly string[];
  /** Total time for one lookup, retries included. */
  timeoutMs?: number;
  /** Concurrent lookups, each with one socket and, while servers do not respond, up to three. */
  maxInFlight?: number;
  /** Maximum number of cached answers. */
  maxCached?: number;
};

export const MAX_LOOKUPS_IN_FLIGHT = 256;

export function createResolver({
  servers,
  timeoutMs = 12_000,
  maxInFlight = MAX_LOOKUPS_IN_FLIGHT,
  maxCached = 50_000,
}: ResolverOptions = {}): Resolver {
  const nameServers = createNameServers(servers);
  const semaphore = createSemaphore(maxInFlight);
  const cache = createAnswerCache({ maxAnswers: maxCached });
  const running = new Set<Lookup>();
  let isClosed = false;

  const queryServers = async <T extends RecordType>(name: string, type: T): Promise<ResponseResult<T>> => {
    if (isClosed) return { status: "closed" };
    const lookup = startLookup(nameServers.ordered(), { name, type }, { timeoutMs });
    running.add(lookup);
    const result = await lookup.result;
    running.delete(lookup);
    if (result.kind === "failed") return { status: result.failure };
    for (const server of result.silent) nameServers.demote(server);
    return readResponse(result, name, type);
  };

  /** Follows CNAMEs that the response leaves open, up to a limit. */
  const resolve = async <T extends RecordType>(name: string, type: T): Promise<DnsAnswer<T>> => {
    let target = name;
    let ttlSeconds = Number.POSITIVE_INFINITY;
    for (let hops = 0; hops <= MAX_ALIASES; hops++) {
      if (!isQueryable(target)) return { status: "unaskable" };
      const response = await queryServers(target, type);
      if (response.status !== "alias") {
        return "ttlSeconds" in response
          ? { ...response, ttlSeconds: Math.min(ttlSeconds, response.ttlSeconds) }
          : response;
      }
      target = response.target;
      ttlSeconds = Math.min(ttlSeconds, response.ttlSeconds);
    }
    return { status: "alias_loop" };
  };

  return {
    async query(name, type) {
      if (isClosed) return { status: "closed" };
      const normalised = normaliseName(name);
      if (!isQueryable(normalised)) return { status: "unaskable" };
      return cache.resolve(normalised, type, () => semaphore.run(() => resolve(normalised, type)));
    },
    close() {
      isClosed = true;
      for (const lookup of running) lookup.close();
    },
  };
}
