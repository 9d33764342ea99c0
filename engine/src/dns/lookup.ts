/**
 * One lookup across the configured name servers, with retries until one answers or the time is up.
 *
 * The schedule is fixed. Silence for a while triggers a query to the next server (or the same one again), while
 * earlier queries may still be answered. An error response triggers the next server at once, and that server is not
 * queried again. A server that needs eleven seconds is thus still waited for, a dead one costs a few packets, and fast
 * answers never shorten the timeouts (as they do in c-ares).
 *
 * When all servers have refused, perhaps because they have too many open queries, there is a pause before the next try.
 */
import { DNS_FAILURES, type DnsFailure, type RecordType } from "./dns-answer.ts";
import type { DnsResponse } from "./dns-message.ts";
import type { NameServer } from "./name-servers.ts";
import { DnsQuery, type QueryResult } from "./query.ts";
import { failureOf } from "./response-to-answer.ts";
import type { ServerLoad } from "./server-load.ts";
import type { TimerWheel, WheelEntry } from "./timer-wheel.ts";
import type { UdpSockets } from "./udp-sockets.ts";

export type LookupResult =
  | {
      kind: "reply";
      response: DnsResponse /** Had not responded when another one answered. */;
      silent: NameServer[];
    }
  | { kind: "failed"; failure: DnsFailure };

export type LookupDeps = { sockets: UdpSockets; wheel: TimerWheel; load: ServerLoad; timeoutMs: number };

/**
 * How long the first three queries are waited for, as shares of the timeout: 3, 4 and 5 s of 12. Silence triggers no fourth
 * query; only an error response does. A process that was stalled sends all three, and waits for the third.
 */
const WAIT_SHARES = [3 / 12, 4 / 12, 5 / 12];
/** After this share of the timeout, one second of 12, a lookup without a response is slow. */
const SLOW_SHARE = 1 / 12;
/** After refusals, each at random up to twice as long, so that what was refused together is not asked together again. */
const PAUSES_MS = [250, 500, 1000, 2000];

export class Lookup implements WheelEntry {
  slot: WheelEntry["slot"];
  dueTick = 0;
  readonly #deps: LookupDeps;
  readonly #servers: readonly NameServer[];
  readonly #question: { name: string; type: RecordType };
  readonly #onEnd: (result: LookupResult) => void;
  readonly #onSlow: () => void;
  readonly #endsAtMs: number;
  /** For the queries of the schedule together. */
  #scheduleMs: number;
  readonly #queries: DnsQuery[] = [];
  #failures: Map<NameServer, DnsFailure> | undefined;
  #sent = 0;
  /** When the last query has been waited for long enough. */
  #nextAtMs = 0;
  #isSlow = false;
  #isPaused = false;
  #pauses = 0;
  /** Lookups that were open when the first refusal came. */
  #openAtRefusal: number | undefined;
  #isOver = false;

  /** `onSlow` is called once, if nothing has arrived for a while; the lookup goes on. */
  constructor(
    deps: LookupDeps,
    servers: readonly NameServer[],
    question: { name: string; type: RecordType },
    { onEnd, onSlow }: { onEnd: (result: LookupResult) => void; onSlow: () => void },
  ) {
    this.#deps = deps;
    this.#servers = servers;
    this.#question = question;
    this.#onEnd = onEnd;
    this.#onSlow = onSlow;
    this.#scheduleMs = deps.timeoutMs;
    this.#endsAtMs = performance.now() + deps.timeoutMs;
  }

  start(): void {
    this.#deps.load.running++;
    this.#sendNext();
  }

  /** Stops at once; the result is then the failure "closed". */
  close(): void {
    this.#end({ kind: "failed", failure: "closed" });
  }

  onDeadline(): void {
    if (this.#isPaused) this.#resume();
    else if (!this.#isSlow) {
      this.#isSlow = true;
      this.#deps.wheel.schedule(this, Math.max(0, this.#nextAtMs - performance.now()));
      this.#onSlow();
    } else {
      const server = this.#sent < WAIT_SHARES.length ? this.#nextServer() : undefined;
      if (server) this.#send(server);
      else this.#fail(this.#queries.some((query) => query.hasStrays) ? "malformed" : "timeout");
    }
  }

  #sendNext(): void {
    const server = this.#nextServer();
    if (server) this.#send(server);
    else if (this.#queries.length > 0) this.#wait(this.#remainingMs());
    else if (!this.#pause()) this.#fail();
  }

  /** False if the refusals have another reason than too many open queries, or if there is no time left. */
  #pause(): boolean {
    const { load, wheel } = this.#deps;
    if (![...(this.#failures?.values() ?? [])].includes("refused")) return false;
    if (this.#pauses > 0) load.hasAnswered ??= false;
    const pauseMs = (PAUSES_MS[this.#pauses] ?? Number.POSITIVE_INFINITY) * (1 + Math.random());
    if (!load.mayBeOverloaded || pauseMs > this.#remainingMs()) return false;
    this.#pauses++;
    this.#isPaused = true;
    load.paused++;
    this.#openAtRefusal ??= load.open;
    wheel.schedule(this, pauseMs);
    return true;
  }

  /** The schedule starts anew in the time that is left, at the servers that refused. */
  #resume(): void {
    this.#unpause();
    this.#sent = 0;
    this.#scheduleMs = this.#remainingMs();
    for (const [server, failure] of this.#failures ?? []) {
      if (failure === "refused") this.#failures?.delete(server);
    }
    this.#sendNext();
  }

  #unpause(): void {
    if (this.#isPaused) this.#deps.load.paused--;
    this.#isPaused = false;
  }

  #wait(waitMs: number): void {
    const { wheel, timeoutMs } = this.#deps;
    this.#nextAtMs = performance.now() + waitMs;
    wheel.schedule(this, this.#isSlow ? waitMs : Math.min(waitMs, timeoutMs * SLOW_SHARE));
  }

  #send(server: NameServer): void {
    const waitMs = this.#scheduleMs * (WAIT_SHARES[this.#sent] ?? 0);
    this.#sent++;
    this.#wait(this.#sent < WAIT_SHARES.length ? waitMs : Math.max(waitMs, this.#remainingMs()));
    if (this.#queries.some((query) => query.server === server && query.repeat())) return;
    const query = new DnsQuery(this.#deps.sockets, server, this.#question, this.#onResult);
    this.#queries.push(query);
    query.start();
  }

  #remainingMs(): number {
    return Math.max(0, this.#endsAtMs - performance.now());
  }

  readonly #onResult = (query: DnsQuery, result: QueryResult): void => {
    if (this.#isOver) return;
    this.#queries.splice(this.#queries.indexOf(query), 1);
    const failure = result.kind === "failed" ? result.failure : failureOf(result);
    if (failure !== undefined) {
      this.#failures ??= new Map();
      this.#failures.set(query.server, failure);
      this.#sendNext();
    } else if (result.kind === "reply") {
      const { load } = this.#deps;
      load.hasAnswered = true;
      if (this.#openAtRefusal !== undefined) load.onAnswerAfterRefusal(this.#openAtRefusal);
      const silent = this.#queries.map(({ server }) => server).filter((server) => server !== query.server);
      this.#end({ kind: "reply", response: result, silent });
    }
  };

  /** Of several failures the most specific one is reported. */
  #fail(last?: DnsFailure): void {
    const failures = [...(this.#failures?.values() ?? []), last];
    const failure = DNS_FAILURES.find((one) => failures.includes(one)) ?? "timeout";
    this.#end({ kind: "failed", failure });
  }

  #end(result: LookupResult): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unpause();
    this.#deps.load.running--;
    this.#deps.wheel.cancel(this);
    for (const query of this.#queries) query.stop();
    this.#onEnd(result);
  }

  /** Round robin over the servers that have not failed. */
  #nextServer(): NameServer | undefined {
    const { length } = this.#servers;
    for (let i = 0; i < length; i++) {
      const server = this.#servers[(this.#sent + i) % length]!;
      if (!this.#failures?.has(server)) return server;
    }
    return undefined;
  }
}
