/**
 * DNS facts about a domain, looked up once for all addresses that are checked at about the same time.
 *
 * The mail route is needed before SMTP; SPF, DMARC and MTA-STS only describe the domain. They are separate lookups,
 * so a name server that is slow to answer for the policies does not delay the probe.
 */
import { LRUCache } from "lru-cache";
import { entriesFor } from "./base/lru-limit.ts";
import type { MailPolicies } from "./dns/mail-policies.ts";
import type { LookupUrgency, MailRoute } from "./dns/mail-route.ts";
import { type DnsLookupEvent, epochMs, type Observe } from "./egress/network-event.ts";
import type { Disposables } from "./reference/disposable.ts";
import { LARGE_PROVIDERS } from "./reference/free-providers.ts";
import { mailProviderOf } from "./reference/mail-provider.ts";
import { isPrivacyRelayHost } from "./reference/relays-and-agents.ts";

export type RouteFacts = {
  route: MailRoute;
  /** Slug of the provider that runs the mail hosts. */
  provider: string;
  /** The MX hosts belong to a disposable mail service, or to a privacy relay. */
  isDisposableRoute: boolean;
  isRelayRoute: boolean;
};

/** Batch work unless urgent. An urgent call speeds up what is already being looked up for others. */
export type DomainFacts = {
  routeOf(domain: string, urgency?: LookupUrgency, trace?: string): Promise<RouteFacts>;
  policiesOf(domain: string, urgency?: LookupUrgency, trace?: string): Promise<MailPolicies>;
};

/** The lookups themselves, without a cache. They may run in another thread (threads/). */
export type DomainLookups = {
  routeOf(domain: string, urgency: LookupUrgency): Promise<MailRoute>;
  policiesOf(domain: string, urgency: LookupUrgency): Promise<MailPolicies>;
};

export type DomainFactsDeps = {
  lookups: DomainLookups;
  disposables: Disposables;
  /** Called at the end of every lookup that no cache has answered. */
  observe?: Observe | undefined;
};

const MAX_DOMAINS = 20_000;
/** Shorter than common TTLs, long enough for the addresses of one list to share a lookup. */
const CACHE_TTL_MS = 30_000;

export function createDomainFacts(deps: DomainFactsDeps): DomainFacts {
  return {
    routeOf: cachedPerDomain((domain, urgency, trace) =>
      observed(
        deps,
        { lookup: "mail_route", trace },
        () => findRouteFacts(deps, domain, urgency),
        ({ route }) => route.kind,
      ),
    ),
    policiesOf: cachedPerDomain((domain, urgency, trace) =>
      observed(
        deps,
        { lookup: "mail_policies", trace },
        () => deps.lookups.policiesOf(domain, urgency),
        () => "found",
      ),
    ),
  };
}

async function observed<T>(
  { observe }: DomainFactsDeps,
  lookup: Pick<DnsLookupEvent, "lookup" | "trace">,
  find: () => Promise<T>,
  outcomeOf: (found: T) => DnsLookupEvent["outcome"],
): Promise<T> {
  if (!observe) return find();
  const startedAtMs = epochMs();
  let outcome: DnsLookupEvent["outcome"] = "failed";
  try {
    const found = await find();
    outcome = outcomeOf(found);
    return found;
  } finally {
    observe({ kind: "dns_lookup", ...lookup, outcome, startedAtMs, endedAtMs: epochMs() });
  }
}

async function findRouteFacts(
  { lookups, disposables }: DomainFactsDeps,
  domain: string,
  urgency: LookupUrgency,
): Promise<RouteFacts> {
  const route = rejectImplausibleRoute(await lookups.routeOf(domain, urgency), domain);
  const hosts = route.kind === "mail_hosts" && !route.implicit ? route.hosts.map((host) => host.name) : [];
  return {
    route,
    provider: mailProviderOf(hosts, domain),
    isDisposableRoute: disposables.isDisposableRoute(domain, hosts),
    isRelayRoute: hosts.some(isPrivacyRelayHost),
  };
}

const NEGATIVE_ROUTES: ReadonlySet<MailRoute["kind"]> = new Set([
  "domain_not_found",
  "no_mail_server",
  "null_mx",
  "unroutable",
]);

/**
 * In a closed network the resolver may deny every outside name or answer for all of them itself. If DNS reports no
 * mail route for a major provider, assume the resolver is broken and return `dns_error`.
 */
function rejectImplausibleRoute(route: MailRoute, domain: string): MailRoute {
  if (!NEGATIVE_ROUTES.has(route.kind) || !LARGE_PROVIDERS.has(domain)) return route;
  return { kind: "dns_error", hosts: [], reason: "disbelieved" };
}

type FindFacts<T> = (domain: string, urgency: LookupUrgency, trace: string | undefined) => Promise<T>;
type CachedLookup<T> = (domain: string, urgency?: LookupUrgency, trace?: string) => Promise<T>;
/** `tenants`: for whom it was looked up. */
type CachedFacts<T> = {
  found: Promise<T>;
  isPendingBatch: boolean;
  tenants: readonly (string | undefined)[];
};

/**
 * Caches the pending promise too, so concurrent callers share one lookup. When one of them is urgent or of another tenant,
 * the lookup is repeated for it: the resolver merges its queries with those in flight, and moves up those that wait.
 */
function cachedPerDomain<T>(find: FindFacts<T>): CachedLookup<T> {
  const facts = new LRUCache<string, CachedFacts<T>>(entriesFor(CACHE_TTL_MS, MAX_DOMAINS));
  return (domain, urgency = { isUrgent: false }, trace) => {
    const known = facts.get(domain);
    const { isUrgent, tenant } = urgency;
    const mayWaitLess = known?.isPendingBatch && (isUrgent || !known.tenants.includes(tenant));
    if (known && !mayWaitLess) return known.found;
    const found = find(domain, urgency, trace);
    const tenants = mayWaitLess ? [...known.tenants, tenant] : [tenant];
    const entry: CachedFacts<T> = { found, isPendingBatch: !isUrgent, tenants };
    facts.set(domain, entry);
    found.then(
      () => {
        entry.isPendingBatch = false;
      },
      () => facts.delete(domain),
    );
    return found;
  };
}
