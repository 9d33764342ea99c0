/**
 * The resolver: ask for a name and a type, get a value that says what the name servers know.
 *
 * Our own stub client rather than node:dns, which shortens its patience after fast answers (so that a slow
 * name server looks dead), hides lifetimes, and caches nothing. Answers are remembered (answer-cache.ts), each
 * question is asked once at a time, and only so many are under way at once; the others wait their turn.
 */

import { createSemaphore } from "../semaphore.ts";
import { createAnswerCache } from "./answer-cache.ts";
import type { DnsAnswer, RecordType } from "./dns-answer.ts";
import { isAskable, plainName } from "./host-name.ts";
import { type Lookup, startLookup } from "./lookup.ts";
import { createNameServers } from "./name-servers.ts";
import { MAX_ALIASES, type ResponseReading, readResponse } from "./response-reader.ts";

export type Resolver = {
  /** Never throws: whatever the name servers do is a value. */
  ask<T extends RecordType>(name: string, type: T): Promise<DnsAnswer<T>>;
  /** Ends what is under way and releases every socket and timer. */
  close(): void;
};

export type ResolverOptions = {
  /** `ip`, `ip:port` or `[ipv6]:port`; the operating system's unless told. A bad one is an error at once. */
  servers?: readonly string[];
  /** The whole patience with one question, retries included. */
  timeoutMs?: number;
  /** Questions under way at once, each with one socket and, while servers are silent, up to three. */
  maxInFlight?: number;
  /** Answers remembered at most. */
  maxCached?: number;
};

export function createResolver({
  servers,
  timeoutMs = 12_000,
  maxInFlight = 256,
  maxCached = 50_000,
}: ResolverOptions = {}): Resolver {
  const nameServers = createNameServers(servers);
  const turnstile = createSemaphore(maxInFlight);
  const cache = createAnswerCache({ maxAnswers: maxCached });
  const underWay = new Set<Lookup>();
  let isClosed = false;

  const askServers = async <T extends RecordType>(name: string, type: T): Promise<ResponseReading<T>> => {
    if (isClosed) return { status: "closed" };
    const inquiry = startLookup(nameServers.inOrder(), { name, type }, { timeoutMs });
    underWay.add(inquiry);
    const result = await inquiry.result;
    underWay.delete(inquiry);
    if (result.kind === "failed") return { status: result.failure };
    for (const server of result.silent) nameServers.wasSilent(server);
    return readResponse(result, name, type);
  };

  /** Asks on behind an alias that the answer leaves open, so many times and no more. */
  const resolve = async <T extends RecordType>(name: string, type: T): Promise<DnsAnswer<T>> => {
    let target = name;
    let ttlSeconds = Number.POSITIVE_INFINITY;
    for (let hops = 0; hops <= MAX_ALIASES; hops++) {
      if (!isAskable(target)) return { status: "unaskable" };
      const reading = await askServers(target, type);
      if (reading.status !== "alias") {
        return "ttlSeconds" in reading
          ? { ...reading, ttlSeconds: Math.min(ttlSeconds, reading.ttlSeconds) }
          : reading;
      }
      target = reading.target;
      ttlSeconds = Math.min(ttlSeconds, reading.ttlSeconds);
    }
    return { status: "alias_loop" };
  };

  return {
    async ask(name, type) {
      if (isClosed) return { status: "closed" };
      const plain = plainName(name);
      if (!isAskable(plain)) return { status: "unaskable" };
      return cache.through(plain, type, () => turnstile.pass(() => resolve(plain, type)));
    },
    close() {
      isClosed = true;
      for (const inquiry of underWay) inquiry.close();
    },
  };
}
