/**
 * The stages of one check, in order: offline inspection, DNS, SMTP, then what the deployment knows.
 *
 * Every stage adds to the evidence. Once a stage has settled the verdict, the remaining ones are skipped.
 */
import type { Level } from "@mailvet/contract/words";
import { type MapOptions, mapByDomain } from "./base/map-by-domain.ts";
import { withTimeLimit } from "./base/time-limit.ts";
import type { DomainFacts, RouteFacts } from "./domain-facts.ts";
import type { Observe } from "./egress/network-event.ts";
import type { Evidence } from "./evidence.ts";
import type { NetworkStages } from "./network-stages.ts";
import { createInspection, type InspectionDeps } from "./offline-inspection.ts";
import type { Adjudication } from "./plausibility/adjudication.ts";
import { loadNameModel } from "./plausibility/name-model/name-model.ts";
import type { PatternTally } from "./plausibility/naming-pattern.ts";
import { hasNamingPattern, hasScorableName, isAmbiguous } from "./plausibility/plausibility.ts";
import { type Disposables, loadDisposables } from "./reference/disposable.ts";
import { RequestPriority } from "./request-priority.ts";
import type { EngineSettings } from "./settings.ts";
import type { EgressHealth } from "./smtp/throttle/egress-health.ts";
import type { HostLimiterFor } from "./smtp/throttle/host-limiter.ts";
import type { HostMemories } from "./smtp/throttle/host-memories.ts";
import type { SessionGateFor } from "./smtp/throttle/session-gate.ts";
import type { ThreadExit } from "./threads/engine-threads.ts";
import { decide, isUnproven } from "./verdict.ts";

export type VerifierDeps = InspectionDeps & {
  disposables: Disposables;
  knowledge?: DeploymentKnowledge;
  /** Called at the end of lookups. */
  observe?: Observe | undefined;
  /** Called by the first check that needs the network, and by the next one if it failed. */
  openNetwork: () => NetworkStages | Promise<NetworkStages>;
};

/**
 * Knowledge that the engine does not have by itself. Implemented by service/src/naming and service/src/adjudication.
 */
export type DeploymentKnowledge = {
  /**
   * Naming pattern of proven mailboxes at this domain. Requested only where SMTP is inconclusive, never for free
   * providers.
   */
  namingAt?: (domain: string) => Promise<PatternTally | undefined>;
  /** A language model's answer where the local model is ambiguous; undefined when there is none. */
  adjudicate?: (evidence: Evidence) => Promise<Adjudication | undefined>;
};

/**
 * `isUrgent` is set when a caller is blocked on the result; such probes are sent ahead of list work. Where many lookups
 * wait, those of different tenants take turns. `trace` is any text that identifies the caller's trace; events name it
 * (egress/network-event.ts).
 */
export type CheckPriority = { isUrgent?: boolean; tenant?: string; trace?: string | undefined };

/** A running check. It runs to completion even if its caller stops waiting. */
export type Check = {
  /** Grows until `done`, which resolves to this same object. */
  readonly evidence: Evidence;
  /** Never rejects: an unexpected exception becomes `internal_error` and is recorded in `evidence.failure`. */
  readonly done: Promise<Evidence>;
  /** Makes the check urgent. No effect if it is urgent already, or done. */
  raisePriority(): void;
};

export type Verifier = {
  /** The evidence of level "syntax": from the text and the reference lists, without any I/O. */
  inspect(email: string): Evidence;
  /** Takes an address, or its inspection, which is then not repeated. */
  begin(subject: string | Evidence, level: Level, priority?: CheckPriority): Check;
  /** `begin(…).done` */
  verify(email: string, level: Level, priority?: CheckPriority): Promise<Evidence>;
  /**
   * Yields results in completion order. A domain's addresses share sessions. At most `window` addresses are read ahead, so
   * memory is bounded.
   */
  verifyMany(
    emails: AsyncIterable<string> | Iterable<string>,
    level: Level,
    window?: number,
  ): AsyncGenerator<Evidence>;
  /** The disposable-domain list in use. */
  lists: Pick<Disposables, "origin" | "size" | "reload">;
  /** Starts the threads, if there are any, so that the first check need not wait for them. */
  start(): Promise<void>;
  close(): Promise<void>;
};

type Network = NetworkStages & { facts: DomainFacts };

/**
 * Addresses in flight at once. Slower levels need more to keep the engine busy. A domain's share fills several
 * sessions, and leaves room for others beside a slow one.
 */
export const CONCURRENCY: Record<Level, Pick<MapOptions, "concurrency" | "perDomain">> = {
  syntax: { concurrency: 256, perDomain: 256 },
  dns: { concurrency: 256, perDomain: 256 },
  smtp: { concurrency: 5000, perDomain: 250 },
};

/** Addresses whose results may wait for those of earlier ones, in about 32 MiB of memory. */
export const WINDOW = 20_000;

export function createVerifier(deps: VerifierDeps): Verifier {
  const inspection = createInspection(deps);
  const inspect = (email: string): Evidence => {
    try {
      return inspection(email);
    } catch (error) {
      return { email, failure: failureOf(error) };
    }
  };
  let network: Network | undefined;
  let opening: Promise<Network> | undefined;
  let isClosed = false;
  const openNetwork = async (): Promise<Network> => {
    const [stages, { createDomainFacts }] = await Promise.all([
      deps.openNetwork(),
      import("./domain-facts.ts"),
    ]);
    network = { ...stages, facts: createDomainFacts({ ...deps, lookups: stages.lookups }) };
    if (isClosed) await stages.close(); // its probes are then answered at once
    return network;
  };
  /** Once for all checks: thousands may begin before it is open. */
  const opened = (): Promise<Network> => {
    opening ??= openNetwork().catch((error) => {
      opening = undefined; // the cause may be temporary: too many open files
      throw error;
    });
    return opening;
  };
  /** Never rejects. One function without promise chains: thousands of checks wait in it at once. */
  const runStages = async (
    evidence: Evidence,
    level: Level,
    priority: RequestPriority,
    { isInspected, trace }: { isInspected: boolean; trace: string | undefined },
  ): Promise<Evidence> => {
    // An exception here affects this address only; other checks continue.
    const fail = (error: unknown) => {
      evidence.failure = failureOf(error);
    };
    try {
      if (!isInspected) Object.assign(evidence, inspect(evidence.email));
      if (level === "syntax" || isSettledByText(evidence) || evidence.failure !== undefined) return evidence;
      const { facts, planner } = network ?? (await opened());
      const { domain } = evidence.address!;
      raiseLookups(facts, evidence, priority);
      addRoute(evidence, await facts.routeOf(domain, priority, trace));
      if (hasNoPolicies(evidence)) return evidence;
      const policies = facts.policiesOf(domain, priority, trace).then((found) => {
        evidence.policies = found;
      }, fail);
      if (level === "smtp") {
        await probeMailbox(planner, evidence, priority, trace);
        if (deps.knowledge) await consultDeployment(deps.knowledge, evidence);
      }
      await policies;
    } catch (error) {
      fail(error);
    } finally {
      priority.end();
    }
    return evidence;
  };
  const begin = (subject: string | Evidence, level: Level, options: CheckPriority = {}): Check => {
    const { isUrgent, tenant, trace } = options;
    const isInspected = typeof subject !== "string";
    const evidence: Evidence = isInspected ? { ...subject } : { email: subject };
    const priority = new RequestPriority(isUrgent, tenant);
    const done = runStages(evidence, level, priority, { isInspected, trace });
    return { evidence, done, raisePriority: () => priority.raise() };
  };
  const verify: Verifier["verify"] = (email, level, priority) => begin(email, level, priority).done;
  return {
    inspect,
    begin,
    verify,
    verifyMany: (emails, level, window = WINDOW) =>
      mapByDomain(emails, String, { isOrdered: false, window, ...CONCURRENCY[level] }, (email) =>
        verify(email, level),
      ),
    lists: deps.disposables,
    async start() {
      await (await opened()).start();
    },
    async close() {
      isClosed = true;
      const open = await opening?.catch(() => undefined); // the checks that wait for it report the error
      await open?.close();
    },
  };
}

function failureOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Replacements for in-process parts, supplied when several processes share limits and data. */
export type SharedParts = {
  limiterFor?: HostLimiterFor;
  gateFor?: SessionGateFor;
  egressHealths?: readonly EgressHealth[];
  hostMemories?: HostMemories;
  knowledge?: DeploymentKnowledge;
  /** DNS and SMTP run in a thread even with ENGINE_THREADS=1, because the calling thread has other work, such as HTTP. */
  isCallerBusy?: boolean;
  /** Called when a thread has exited unexpectedly; it is replaced. */
  onThreadExit?: (exit: ThreadExit) => void;
  /** Called at the end of every SMTP session and lookup. */
  observe?: Observe;
};

/** Builds a verifier with the real dependencies, as configured. */
export function verifierFrom(settings: EngineSettings, shared: SharedParts = {}): Verifier {
  const { knowledge, isCallerBusy = false, onThreadExit, ...limits } = shared;
  const { threads, listsDirectory: directory, localListsFile: localFile } = settings;
  const disposables = loadDisposables({ directory, localFile });
  const openNetwork = async () => {
    if (threads === 1 && !isCallerBusy) {
      return (await import("./network-stages.ts")).networkStagesFrom(settings, limits);
    }
    const { openEngineThreads } = await import("./threads/engine-threads.ts");
    return openEngineThreads({ settings, threads, ...limits, ...(onThreadExit && { onExit: onThreadExit }) });
  };
  return createVerifier({
    disposables,
    exemptSpecialUse: settings.exemptSpecialUse,
    ...(settings.aiEnhancement && { nameModel: loadNameModel() }),
    ...(knowledge && { knowledge }),
    observe: shared.observe,
    openNetwork,
  });
}

/** True when syntax or the reserved-name tables have decided, so neither DNS nor SMTP is needed. */
function isSettledByText({ address, specialUse, providerSyntaxError }: Evidence): boolean {
  return address === undefined || specialUse !== undefined || providerSyntaxError !== undefined;
}

/** When the check becomes urgent, so does the lookup that it waits for. */
function raiseLookups(facts: DomainFacts, evidence: Evidence, priority: RequestPriority): void {
  priority.onRaise(() => {
    const raised = evidence.route ? facts.policiesOf : facts.routeOf;
    raised(evidence.address!.domain, priority).catch(() => {}); // the check itself reports the error
  });
}

/** Where the name servers of the domain itself are silent, three more lookups would take as long again. */
function hasNoPolicies({ route }: Evidence): boolean {
  if (route?.kind === "dns_error") return route.reason === "timeout" && route.hosts.length === 0;
  return route?.kind === "domain_not_found";
}

function addRoute(evidence: Evidence, found: RouteFacts): void {
  const { route, provider, isDisposableRoute, isRelayRoute } = found;
  evidence.route = route;
  evidence.provider = provider;
  if (isDisposableRoute) evidence.disposable ??= "mail_host";
  if (isRelayRoute) evidence.isPrivacyRelay = true;
}

async function probeMailbox(
  planner: NetworkStages["planner"],
  evidence: Evidence,
  priority: RequestPriority,
  trace: string | undefined,
): Promise<void> {
  const { address, route, provider = "", role } = evidence;
  if (!address || route?.kind !== "mail_hosts") return;
  const { mailbox, decoy } = await planner.probe({
    address,
    route,
    provider,
    isRole: role !== undefined,
    priority,
    trace,
  });
  evidence.mailbox = mailbox;
  if (decoy) evidence.decoy = await decoy;
}

/** Allows for a busy database and for a language model; a slower answer is ignored. */
const NAMING_TIMEOUT_MS = 1000;
const ADJUDICATION_TIMEOUT_MS = 5000;

/**
 * Asks the deployment's own sources where SMTP is inconclusive, and before a name is called random. They can neither
 * fail a check nor delay it beyond the timeouts above.
 */
async function consultDeployment(
  { namingAt, adjudicate }: DeploymentKnowledge,
  evidence: Evidence,
): Promise<void> {
  if (evidence.route?.kind !== "mail_hosts" || !hasScorableName(evidence)) return;
  const verdict = decide(evidence);
  if (!isUnproven(verdict) && verdict.subStatus !== "low_quality") return;
  if (namingAt && hasNamingPattern(evidence)) {
    const naming = await attempt(NAMING_TIMEOUT_MS, () => namingAt(evidence.address!.domain));
    if (naming) evidence.naming = naming;
  }
  if (adjudicate && isUnproven(verdict) && isAmbiguous(evidence)) {
    const adjudication = await attempt(ADJUDICATION_TIMEOUT_MS, () => adjudicate(evidence));
    if (adjudication) evidence.adjudication = adjudication;
  }
}

/** Resolves to undefined on timeout or failure. */
function attempt<T>(limitMs: number, work: () => Promise<T | undefined>): Promise<T | undefined> {
  return withTimeLimit(limitMs, Promise.resolve().then(work), undefined).catch(() => undefined);
}
