/**
 * DNS and SMTP in worker threads, with the interface that they have in the calling thread (network-stages.ts).
 *
 * The calling thread inspects addresses, decides verdicts and routes requests: lookups by domain, probes by mail host, so
 * that all addresses at a host share its sessions. It also has what holds for all threads: the limiters of mail hosts
 * (limiter-server.ts), the state and the session count of each egress identity, and what is stored of their memories of hosts
 * (host-memories.ts). Sessions and lookups in flight are limited in all, and each thread has an equal share. Figures and
 * alternatives: docs/decisions/0014-engine-threads.md.
 */
import type { Worker } from "node:worker_threads";
import { MAX_LOOKUPS_IN_FLIGHT } from "../dns/resolver.ts";
import { servesProvider } from "../egress/identity.ts";
import type { Observe } from "../egress/network-event.ts";
import type { NetworkSettings, NetworkStages } from "../network-stages.ts";
import type { ProbeInput, ProbePlanner } from "../smtp/probe-planner.ts";
import { sessionLimits } from "../smtp/session-limits.ts";
import { blockedForSeconds, EgressHealth } from "../smtp/throttle/egress-health.ts";
import type { HostLimiterFor } from "../smtp/throttle/host-limiter.ts";
import { HostMemories } from "../smtp/throttle/host-memories.ts";
import { profileOf } from "../smtp/throttle/provider-profile.ts";
import { LocalSessionGate, type SessionGateFor } from "../smtp/throttle/session-gate.ts";
import { EngineThread, type ThreadExit } from "./engine-thread.ts";
import { LimiterServer } from "./limiter-server.ts";
import type { GreetedMessage } from "./messages.ts";

export type { ThreadExit } from "./engine-thread.ts";

export type EngineThreadsOptions = {
  settings: NetworkSettings;
  threads: number;
  /** Creates the limiter of each host or provider; by default one that limits this process alone. */
  limiterFor?: HostLimiterFor;
  /** Admits the sessions of each identity; by default one that counts those of this process alone. */
  gateFor?: SessionGateFor;
  /** One for each identity; by default of this engine alone. */
  egressHealths?: readonly EgressHealth[];
  /** By default of this engine alone, and empty. */
  hostMemories?: HostMemories;
  /** Called when a thread has exited unexpectedly; it is replaced. */
  onExit?: (exit: ThreadExit) => void;
  /** Called at the end of every session. */
  observe?: Observe;
  /** By default a worker that runs thread-main.ts. */
  startWorker?: (settings: NetworkSettings, index: number) => Worker;
};

/** A thread is started by its first request, or by `start`. It keeps the process alive while it has a request. */
export function openEngineThreads(options: EngineThreadsOptions): NetworkStages {
  const { sessionLimits: limits = sessionLimits(), maxLookups = MAX_LOOKUPS_IN_FLIGHT } = options.settings;
  const count = Math.min(options.threads, limits.working);
  const settings: NetworkSettings = {
    ...networkSettingsOf(options.settings),
    sessionLimits: { working: Math.floor(limits.working / count), open: Math.floor(limits.open / count) },
    maxLookups: Math.ceil(maxLookups / count),
    isObserved: options.observe !== undefined,
  };
  const { gateFor = (identity) => new LocalSessionGate(identity), hostMemories = new HostMemories() } =
    options;
  const { egress } = settings;
  const healths = options.egressHealths ?? egress.map(() => new EgressHealth());
  const gates = egress.map((identity) => (identity.isCounted ? gateFor(identity) : undefined));
  const limiters = new LimiterServer(options.limiterFor);
  const onGreeted = (message: GreetedMessage) => {
    for (const thread of threads) thread.tell(message);
  };
  const deps = { ...options, settings, limiters, healths, gates, hostMemories, onGreeted };
  const threads = Array.from({ length: count }, (_, index) => new EngineThread(deps, index));
  const threadFor = (key: string) => threads[hashOf(key) % count]!;

  const planner: ProbePlanner = {
    async probe({ priority, ...input }) {
      const seconds = blockedForSeconds(
        healths.filter((_, index) => servesProvider(egress[index]!, input.provider)),
      );
      if (seconds !== undefined) return { mailbox: { answer: "egress_blocked", retryAfterSeconds: seconds } };
      return threadFor(mailHostKey(input)).probe(input, priority);
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
  return {
    lookups: {
      routeOf: (domain, urgency) => threadFor(domain).routeOf(domain, urgency),
      policiesOf: (domain, urgency) => threadFor(domain).policiesOf(domain, urgency),
    },
    planner,
    async start() {
      await Promise.all(threads.map((thread) => thread.start()));
    },
    close: planner.close,
  };
}

/** Only what a thread needs, because it is copied. */
function networkSettingsOf({
  dnsServers,
  egressAllow,
  smtpPort,
  egress,
  probeTimeoutMs,
  connectionsPerHost,
  dnsTimeoutMs,
  idleSessionMs,
  closeGraceMs,
}: NetworkSettings): NetworkSettings {
  return {
    dnsServers,
    egressAllow,
    smtpPort,
    egress,
    probeTimeoutMs,
    connectionsPerHost,
    ...(dnsTimeoutMs !== undefined && { dnsTimeoutMs }),
    ...(idleSessionMs !== undefined && { idleSessionMs }),
    ...(closeGraceMs !== undefined && { closeGraceMs }),
  };
}

/**
 * All routes that begin with the same host, and all hosts of a large provider, go to one thread. A host that is only the
 * second of another route may have sessions in two threads, within its limit.
 */
function mailHostKey({ route, provider }: Pick<ProbeInput, "route" | "provider">): string {
  return profileOf(provider).isShared ? `provider ${provider}` : route.hosts[0]!.name;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
