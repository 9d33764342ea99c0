/**
 * One engine thread, as the calling thread sees it: sends requests, matches replies, and replaces the thread when it has
 * died. A request that was lost with a thread is sent once more; if that thread dies too, or cannot be started, the
 * request fails, because it may be the cause.
 */
import { Worker } from "node:worker_threads";
import { deferred } from "../deferred.ts";
import type { MailPolicies } from "../dns/mail-policies.ts";
import type { LookupUrgency, MailRoute } from "../dns/mail-route.ts";
import type { Observe } from "../egress/network-event.ts";
import type { DecoyFinding } from "../evidence.ts";
import type { NetworkSettings } from "../network-stages.ts";
import type { RequestPriority } from "../request-priority.ts";
import type { ProbeInput, ProbeResult } from "../smtp/probe-planner.ts";
import type { EgressHealth } from "../smtp/throttle/egress-health.ts";
import type { HostMemories } from "../smtp/throttle/host-memories.ts";
import type { SessionGate } from "../smtp/throttle/session-gate.ts";
import { LimiterClient, type LimiterServer } from "./limiter-server.ts";
import {
  type FromThread,
  type GreetedMessage,
  Outbox,
  type ReplyMessage,
  type RequestMessage,
  type ToThread,
} from "./messages.ts";

/** `thread` counts from 1. `lostRequests` are sent again; `failedRequests` were lost for the second time. */
export type ThreadExit = { thread: number; error: Error; lostRequests: number; failedRequests: number };

export type EngineThreadDeps = {
  settings: NetworkSettings;
  limiters: LimiterServer;
  /** One for each egress identity, as `gates`. */
  healths: readonly EgressHealth[];
  gates: readonly (SessionGate | undefined)[];
  hostMemories: HostMemories;
  onExit?: (exit: ThreadExit) => void;
  observe?: Observe;
  /** Called with what the other threads are to be told. */
  onGreeted: (message: GreetedMessage) => void;
  startWorker?: (settings: NetworkSettings, index: number) => Worker;
};

type PendingRequest = {
  message: RequestMessage;
  losses: number;
  /** True when this was the last reply. */
  onReply(reply: ReplyMessage): boolean;
  fail(error: Error): void;
  /** The engine is closed, so there will be no reply. */
  onClosed(): void;
};

const MAX_LOSSES = 1;
/** A thread that dies so soon is replaced after a pause of the same length, so that a broken one does not use a core. */
const YOUNG_MS = 1000;
/** By default sessions have less than a second for QUIT; the rest is for a thread that is busy. */
const CLOSE_WITHIN_MS = 3000;
const CLOSE_STEPS = 10;

const CLOSED_ROUTE: MailRoute = { kind: "dns_error", hosts: [], reason: "closed" };
const CLOSED_POLICIES: MailPolicies = { spf: undefined, dmarc: undefined, mtaSts: undefined };
const CLOSED_PROBE: ProbeResult = { mailbox: { answer: "timeout" } };
const UNDECIDED: DecoyFinding = { answer: "temporary_error", confidence: 0 };

export class EngineThread {
  readonly #deps: EngineThreadDeps;
  readonly #index: number;
  readonly #requests = new Map<number, PendingRequest>();
  #running: RunningThread | undefined;
  #restart: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isClosing = false;

  constructor(deps: EngineThreadDeps, index: number) {
    this.#deps = deps;
    this.#index = index;
  }

  routeOf(domain: string, { isUrgent, tenant }: LookupUrgency): Promise<MailRoute> {
    return this.#lookUp({ type: "route", domain, isUrgent, tenant }, CLOSED_ROUTE);
  }

  policiesOf(domain: string, { isUrgent, tenant }: LookupUrgency): Promise<MailPolicies> {
    return this.#lookUp({ type: "policies", domain, isUrgent, tenant }, CLOSED_POLICIES);
  }

  probe(input: Omit<ProbeInput, "priority">, priority: RequestPriority | undefined): Promise<ProbeResult> {
    const { promise, resolve, reject } = deferred<ProbeResult>();
    const id = ++this.#lastId;
    const message = { type: "probe" as const, id, input, isUrgent: priority?.isUrgent === true };
    const decoy = deferred<DecoyFinding>();
    decoy.promise.catch(() => {}); // the caller may not have been told that there is one
    priority?.onRaise(() => {
      message.isUrgent = true; // for a thread that it is sent to again
      if (this.#requests.has(id)) this.#running?.send({ type: "raise", id });
    });
    this.#request({
      message,
      losses: 0,
      onReply(reply) {
        if (reply.type === "decoy") decoy.resolve(reply.decoy);
        if (reply.type !== "mailbox") return true;
        resolve({ mailbox: reply.mailbox, ...(reply.hasDecoy && { decoy: decoy.promise }) });
        if (!reply.hasDecoy) decoy.resolve(UNDECIDED); // sent again, and the mailbox is no longer accepted
        return !reply.hasDecoy;
      },
      fail(error) {
        reject(error);
        decoy.reject(error);
      },
      onClosed() {
        resolve(CLOSED_PROBE);
        decoy.resolve(UNDECIDED);
      },
    });
    return promise;
  }

  /** A provider greeted another thread. One that is not running is told at its start. */
  tell(message: GreetedMessage): void {
    this.#running?.send(message);
  }

  /** Resolves when the thread runs, or has failed to start: the next request tries again. */
  async start(): Promise<void> {
    if (!this.#running && !this.#restart && !this.#isClosing) this.#start();
    await this.#running?.ready;
    if (this.#requests.size === 0) this.#running?.keepProcessAlive(false);
  }

  /** Ends the thread. What is in progress ends as timed out. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#restart);
    await this.#running?.close();
    for (const { onClosed } of this.#requests.values()) onClosed();
    this.#requests.clear();
  }

  #lookUp<T extends MailRoute | MailPolicies>(
    lookup: { type: "route" | "policies"; domain: string; isUrgent: boolean; tenant: string | undefined },
    closed: T,
  ): Promise<T> {
    const { promise, resolve, reject } = deferred<T>();
    this.#request({
      message: { ...lookup, id: ++this.#lastId },
      losses: 0,
      onReply(reply) {
        if (reply.type === "found") resolve(reply.found as T);
        return true;
      },
      fail: reject,
      onClosed: () => resolve(closed),
    });
    return promise;
  }

  #request(request: PendingRequest): void {
    if (this.#isClosing) {
      request.onClosed();
      return;
    }
    this.#requests.set(request.message.id, request);
    if (this.#requests.size === 1) this.#running?.keepProcessAlive(true);
    if (this.#running) this.#running.send(request.message);
    else if (!this.#restart) this.#start();
  }

  #start(): void {
    let running: RunningThread;
    try {
      running = new RunningThread(this.#deps, this.#index, {
        onReply: (reply) => this.#onReply(reply),
        onExit: (error) => this.#onExit(error, running.ageMs),
      });
    } catch (error) {
      this.#onExit(error as Error, 0); // no memory or process id is left for a thread
      return;
    }
    this.#running = running;
    for (const [identity, { interception }] of this.#deps.healths.entries())
      for (const greeting of interception.foreignGreetings)
        running.send({ type: "greeted", identity, greeting });
    for (const { message } of this.#requests.values()) running.send(message);
  }

  #onReply(reply: ReplyMessage): void {
    const request = this.#requests.get(reply.id);
    if (!request) return;
    if (reply.type === "failed") request.fail(errorWithStack(reply.stack));
    else if (!request.onReply(reply)) return;
    this.#requests.delete(reply.id);
    if (this.#requests.size === 0) this.#running?.keepProcessAlive(false);
  }

  #onExit(error: Error, ageMs: number): void {
    this.#running = undefined;
    if (this.#isClosing) return;
    const failed = [...this.#requests.values()].filter((request) => ++request.losses > MAX_LOSSES);
    for (const { message, fail } of failed) {
      this.#requests.delete(message.id);
      fail(new Error(`the engine thread exited: ${error.message}`, { cause: error }));
    }
    const { size: lostRequests } = this.#requests;
    const restart = () => {
      this.#restart = undefined;
      if (this.#requests.size > 0) this.#start();
    };
    if (ageMs < YOUNG_MS) this.#restart = setTimeout(restart, YOUNG_MS);
    else restart();
    this.#deps.onExit?.({ thread: this.#index + 1, error, lostRequests, failedRequests: failed.length });
  }
}

/** A worker from its start to its exit. */
class RunningThread {
  readonly #worker: Worker;
  readonly #outbox: Outbox<ToThread>;
  readonly #limiters: LimiterClient;
  readonly #closeWithinMs: number;
  readonly #healths: EngineThreadDeps["healths"];
  readonly #gates: EngineThreadDeps["gates"];
  readonly #hostMemories: HostMemories;
  readonly #observe: Observe | undefined;
  readonly #onGreeted: EngineThreadDeps["onGreeted"];
  readonly #onReply: (reply: ReplyMessage) => void;
  readonly #ready = deferred<void>();
  #isReady = false;
  readonly #exited = deferred<void>();
  readonly #startedAtMs = performance.now();

  constructor(
    deps: EngineThreadDeps,
    index: number,
    { onReply, onExit }: { onReply: (reply: ReplyMessage) => void; onExit: (error: Error) => void },
  ) {
    const { settings, limiters, healths, gates, hostMemories, observe, onGreeted } = deps;
    const { startWorker = startThread } = deps;
    this.#worker = startWorker({ ...settings, knownHosts: hostMemories.entries }, index);
    this.#closeWithinMs = CLOSE_WITHIN_MS + (settings.closeGraceMs ?? 0);
    this.#outbox = new Outbox((batch) => this.#worker.postMessage(batch));
    this.#limiters = new LimiterClient(limiters, (message) => this.send(message));
    this.#healths = healths;
    this.#gates = gates;
    this.#hostMemories = hostMemories;
    this.#observe = observe;
    this.#onGreeted = onGreeted;
    this.#onReply = onReply;
    let failure: Error | undefined;
    this.#worker.on("message", (batch: FromThread[]) => {
      for (const message of batch) this.#receive(message);
    });
    this.#worker.on("error", (error: Error) => (failure ??= error));
    this.#worker.once("exit", (code) => {
      this.#limiters.end();
      onExit(failure ?? new Error(`exit code ${code}`));
      this.#ready.resolve();
      this.#exited.resolve();
    });
  }

  get ageMs(): number {
    return performance.now() - this.#startedAtMs;
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  send(message: ToThread): void {
    this.#outbox.send(message);
  }

  keepProcessAlive(isNeeded: boolean): void {
    if (isNeeded) this.#worker.ref();
    else this.#worker.unref();
  }

  async close(): Promise<void> {
    this.keepProcessAlive(true);
    if (this.#isReady) this.send({ type: "close" });
    else void this.#worker.terminate(); // it has no session yet
    // In steps: when this process has stood still, one of them is over at once, but not all.
    let stepsLeft = CLOSE_STEPS;
    const timer = setInterval(() => {
      if (--stepsLeft === 0) void this.#worker.terminate();
    }, this.#closeWithinMs / CLOSE_STEPS);
    await this.#exited.promise;
    clearInterval(timer);
  }

  async #admit({ id, identity }: Extract<FromThread, { type: "admit" }>): Promise<void> {
    this.send({ type: "admitted", id, refusal: await this.#gates[identity]?.admit() });
  }

  #receive(message: FromThread): void {
    switch (message.type) {
      case "found":
      case "mailbox":
      case "decoy":
      case "failed":
        this.#onReply(message);
        return;
      case "ready":
        this.#isReady = true;
        this.#ready.resolve();
        return;
      case "connected":
        this.#healths[message.identity]!.connected();
        return;
      case "greeted":
        if (this.#healths[message.identity]!.greeted(message.greeting)) this.#onGreeted(message);
        return;
      case "timed_out":
        this.#healths[message.identity]!.timedOut(message.host);
        return;
      case "failed_locally":
        this.#healths[message.identity]!.failedLocally();
        return;
      case "admit":
        void this.#admit(message);
        return;
      case "observed":
        this.#observe?.(message.event);
        return;
      case "remembered":
        this.#hostMemories.record(message.entry);
        return;
      case "closed":
        void this.#worker.terminate();
        return;
      default:
        this.#limiters.receive(message);
    }
  }
}

/**
 * Node 20 cannot start a thread from TypeScript, so the sources have an entry of their own. The build has a bundle, and
 * tests use it too, which their run has built (vitest.config.ts): it starts in a fifth of the CPU time.
 */
export function startThread(settings: NetworkSettings, index: number): Worker {
  const options = { workerData: settings, name: `engine-${index + 1}` };
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(new URL("../bundled/thread-main.js", import.meta.url), options);
  return process.env.ENGINE_THREAD_CODE === "built"
    ? new Worker(new URL("../../dist/bundled/thread-main.js", import.meta.url), options)
    : new Worker(new URL("./source-entry.mjs", import.meta.url), {
        ...options,
        execArgv: ["--conditions=source"],
      });
}

function errorWithStack(stack: string): Error {
  const error = new Error(stack.slice(0, stack.indexOf("\n") >>> 0));
  error.stack = stack;
  return error;
}
