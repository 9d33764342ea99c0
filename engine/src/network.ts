/**
 * The parts of a verifier that use the network: DNS resolver, egress guard, probe planner.
 *
 * Imported by the first check that needs them (verifier.ts), because loading them takes longer than a syntax check.
 */
import { createResolver, type Resolver } from "./dns/resolver.ts";
import { createDomainFacts, type DomainFacts, type DomainFactsDeps } from "./domain-facts.ts";
import { createEgressGuard } from "./egress/guard.ts";
import type { EngineSettings } from "./settings.ts";
import { createConnect } from "./smtp/client/connect.ts";
import { createPlanner, type ProbePlanner } from "./smtp/probe-planner.ts";
import type { HostLimiterFor } from "./smtp/throttle/host-limiter.ts";

export type NetworkDeps = DomainFactsDeps & { planner: ProbePlanner };

export type Network = { facts: DomainFacts; planner: ProbePlanner; close(): Promise<void> };

export function createNetwork(deps: NetworkDeps): Network {
  return {
    facts: createDomainFacts(deps),
    planner: deps.planner,
    async close() {
      await deps.planner.close();
      deps.resolver.close();
    },
  };
}

/** With the real dependencies, as configured. */
export function networkFrom(
  settings: EngineSettings,
  { disposables, ...shared }: Pick<DomainFactsDeps, "disposables"> & { limiterFor?: HostLimiterFor },
): Network {
  const { egress, smtpPort: port, probeTimeoutMs, connectionsPerHost } = settings;
  const guard = createEgressGuard({ allow: settings.egressAllow });
  const dial = createConnect({ guard, port, egress });
  const planner = createPlanner({ dial, egress, probeTimeoutMs, connectionsPerHost, ...shared });
  return createNetwork({ disposables, guard, planner, resolver: resolverFrom(settings) });
}

/** Uses the configured name servers, or else those of the operating system. */
export function resolverFrom({ dnsServers }: Pick<EngineSettings, "dnsServers">): Resolver {
  return createResolver(dnsServers.length > 0 ? { servers: dnsServers } : {});
}
