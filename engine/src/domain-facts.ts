/**
 * What DNS says about a domain's mail, found out once for all the addresses there that are under way together.
 *
 * The route is what the mail servers are asked by; the policies only describe the domain. They are separate
 * questions, so that a name server that is slow about the second holds nobody up.
 */
import { LRUCache } from "lru-cache";
import { findMailPolicies, type MailPolicies } from "./dns/mail-policies.ts";
import { findMailRoute, type MailRoute } from "./dns/mail-route.ts";
import type { Resolver } from "./dns/resolver.ts";
import type { EgressGuard } from "./egress/guard.ts";
import type { Disposables } from "./reference/disposable.ts";
import { LARGE_PROVIDERS } from "./reference/free-providers.ts";
import { mailProviderOf } from "./reference/mail-provider.ts";
import { isPrivacyRelayHost } from "./reference/privacy-relays.ts";

export type RouteFacts = {
  route: MailRoute;
  /** Slug of whoever runs the mail hosts. */
  provider: string;
  /** A throw-away service takes the domain's mail, or a masking relay does. */
  isDisposableRoute: boolean;
  isRelayRoute: boolean;
};

export type DomainFacts = {
  routeOf(domain: string): Promise<RouteFacts>;
  policiesOf(domain: string): Promise<MailPolicies>;
};

export type DomainFactsDeps = { resolver: Resolver; guard: EgressGuard; disposables: Disposables };

const MAX_DOMAINS = 20_000;
/** Shorter than any name server's own idea of fresh, long enough for the addresses of one list to share. */
const FRESH_MS = 30_000;

export function createDomainFacts(deps: DomainFactsDeps): DomainFacts {
  return {
    routeOf: remembered((domain) => findRouteFacts(deps, domain)),
    policiesOf: remembered((domain) => findMailPolicies(deps.resolver, domain)),
  };
}

async function findRouteFacts(deps: DomainFactsDeps, domain: string): Promise<RouteFacts> {
  const route = believable(await findMailRoute(deps, domain), domain);
  const hosts = route.kind === "mail_hosts" && !route.implicit ? route.hosts.map((host) => host.name) : [];
  return {
    route,
    provider: mailProviderOf(hosts, domain),
    isDisposableRoute: deps.disposables.isDisposableRoute(domain, hosts),
    isRelayRoute: hosts.some(isPrivacyRelayHost),
  };
}

const BURIALS: ReadonlySet<MailRoute["kind"]> = new Set([
  "domain_not_found",
  "no_mail_server",
  "null_mx",
  "unroutable",
]);

/**
 * In a closed network the name server may deny every name outside, or answer for all of them itself. When it
 * buries a house with millions of mailboxes, it is the name server that we do not believe.
 */
function believable(route: MailRoute, domain: string): MailRoute {
  if (!BURIALS.has(route.kind) || !LARGE_PROVIDERS.has(domain)) return route;
  return { kind: "dns_error", hosts: [], reason: "disbelieved" };
}

/** Asks once for all who want to know at about the same time. */
function remembered<T>(find: (domain: string) => Promise<T>): (domain: string) => Promise<T> {
  const facts = new LRUCache<string, { found: Promise<T> }>({ max: MAX_DOMAINS, ttl: FRESH_MS });
  return (domain) => {
    const known = facts.get(domain);
    if (known) return known.found;
    const found = find(domain);
    facts.set(domain, { found });
    found.catch(() => facts.delete(domain));
    return found;
  };
}
