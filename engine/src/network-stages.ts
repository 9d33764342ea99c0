/**
 * The stages of a check that use the network, DNS and SMTP, as configured.
 *
 * Runs them in the calling thread. threads/engine-threads.ts has the same interface and runs them in worker threads,
 * each of which uses this file. The first check that needs the network imports one of them (verifier.ts), because
 * loading them takes longer than a syntax check.
 */
import { findMailPolicies } from "./dns/mail-policies.ts";
import { findMailRoute, type MailRouteDeps } from "./dns/mail-route.ts";
import { createResolver, type Resolver } from "./dns/resolver.ts";
import type { DomainLookups } from "./domain-facts.ts";
import { createEgressGuard } from "./egress/guard.ts";
import { ipv6CheckFor } from "./egress/ipv6.ts";
import type { EngineSettings } from "./settings.ts";
import { createConnect } from "./smtp/client/connect.ts";
import { createPlanner, type PlannerOptions, type ProbePlanner } from "./smtp/probe-planner.ts";
import type { SessionLimits } from "./smtp/session-limits.ts";
import type { HostMemoryEntry } from "./smtp/throttle/host-memories.ts";

export type NetworkStages = {
  lookups: DomainLookups;
  planner: ProbePlanner;
  /** Starts the threads, if there are any, and waits until they run. Otherwise the first requests start them. */
  start(): Promise<void>;
  /** Ends all sessions with QUIT and all lookups. Checks in progress end as timed out. */
  close(): Promise<void>;
};

/** Plain data, so that it can be passed to a thread. */
export type NetworkSettings = Pick<
  EngineSettings,
  "dnsServers" | "egressAllow" | "smtpPort" | "egress" | "probeTimeoutMs" | "connectionsPerHost"
> & {
  /** Where they differ from the defaults of createResolver and createPlanner. */
  dnsTimeoutMs?: number;
  maxLookups?: number;
  sessionLimits?: SessionLimits;
  idleSessionMs?: number;
  closeGraceMs?: number;
  /** A thread reports the end of each session. */
  isObserved?: boolean;
  /** What a thread knows of mail hosts at its start. */
  knownHosts?: readonly HostMemoryEntry[];
};

export function networkStagesFrom(
  settings: NetworkSettings,
  parts: Pick<PlannerOptions, "limiterFor" | "gateFor" | "egressHealths" | "hostMemories" | "observe"> = {},
): NetworkStages {
  const { egress, smtpPort: port, probeTimeoutMs, connectionsPerHost } = settings;
  const { sessionLimits, idleSessionMs, closeGraceMs } = settings;
  const guard = createEgressGuard({ allow: settings.egressAllow });
  const planner = createPlanner({
    connectFrom: (identity) => createConnect({ guard, port, egress: identity }),
    egress,
    probeTimeoutMs,
    connectionsPerHost,
    ...(sessionLimits && { sessionLimits }),
    ...(idleSessionMs !== undefined && { idleSessionMs }),
    ...(closeGraceMs !== undefined && { closeGraceMs }),
    ...parts,
  });
  return networkStages({ resolver: resolverFrom(settings), guard, hasIpv6: ipv6CheckFor(egress), planner });
}

/** Uses the configured name servers, or else those of the operating system. */
export function resolverFrom({
  dnsServers,
  dnsTimeoutMs,
  maxLookups,
}: Pick<NetworkSettings, "dnsServers" | "dnsTimeoutMs" | "maxLookups">): Resolver {
  return createResolver({
    ...(dnsServers.length > 0 && { servers: dnsServers }),
    ...(dnsTimeoutMs !== undefined && { timeoutMs: dnsTimeoutMs }),
    ...(maxLookups !== undefined && { maxInFlight: maxLookups }),
  });
}

export function networkStages({
  planner,
  ...deps
}: DomainLookupsDeps & { planner: ProbePlanner }): NetworkStages {
  return {
    lookups: domainLookups(deps),
    planner,
    start: async () => {},
    async close() {
      await planner.close();
      deps.resolver.close();
    },
  };
}

type DomainLookupsDeps = MailRouteDeps & { resolver: Resolver };

export function domainLookups(deps: DomainLookupsDeps): DomainLookups {
  return {
    routeOf: (domain, urgency) => findMailRoute(deps, domain, urgency),
    policiesOf: (domain, urgency) => findMailPolicies(deps.resolver, domain, urgency),
  };
}
