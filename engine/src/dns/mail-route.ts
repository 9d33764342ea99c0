/**
 * Finds where a domain's mail goes: its mail exchangers with permitted addresses, or why there are none.
 *
 * Follows RFC 5321, 5.1 and RFC 7505, with one addition: only a negative answer of a name server counts against a
 * domain. If a lookup failed on the way, the route is `dns_error`. A negative conclusion is drawn only if all mail
 * hosts were looked up.
 *
 * The operator's name servers may know internal names (split-horizon DNS). Callers must not learn them, so a domain without
 * a public address is `domain_not_found` even if its own mail hosts, or those it points at, exist inside.
 */

import { isIP } from "node:net";
import { withTimeLimit } from "../base/time-limit.ts";
import type { EgressGuard } from "../egress/guard.ts";
import { type DnsAnswer, type DnsFailure, isFailure, type RecordData } from "./dns-answer.ts";
import { isHostName, normaliseName } from "./host-name.ts";
import type { Resolver } from "./resolver.ts";

export type MailRoute =
  | {
      kind: "mail_hosts";
      /** The domain has no MX record, so it is its own mail host (RFC 5321, 5.1). */
      implicit: boolean;
      /** By preference. Equal preferences by name, so that domains with the same mail hosts get the same route. */
      hosts: MailHost[];
      /** The domain may have more mail hosts: a lookup failed, or there were too many. */
      isPartial: boolean;
      /** Mail hosts whose lookup failed, if any. */
      unresolved?: RecordData["MX"][];
    }
  | { kind: "null_mx" | "domain_not_found" | "no_mail_server" }
  /** A public domain without a usable mail host. Whether they exist, and their names, may be internal. */
  | { kind: "unroutable"; hosts: [] }
  | { kind: "dns_error"; hosts: string[]; reason: RouteFailure };

/** `addresses` are permitted by the egress guard and must be connected to as they are, IPv4 first. */
export type MailHost = { name: string; preference: number; addresses: string[] };

/** Why the route is unknown. */
export type RouteFailure =
  | DnsFailure
  | "too_many_hosts" // no usable address among the mail hosts looked up, and there are more
  | "disbelieved"; // a negative answer for a major provider, see domain-facts.ts

export type MailRouteDeps = {
  resolver: Pick<Resolver, "query">;
  guard: Pick<EgressGuard, "permits">;
  /**
   * Whether IPv6 addresses can be connected to (egress/ipv6.ts), by default yes. If not, AAAA is looked up only for a host
   * that has no usable IPv4 address.
   */
  hasIpv6?: () => boolean;
};

/** `isUrgent`: a caller is blocked on the result. Others of different tenants take turns. */
export type LookupUrgency = { isUrgent: boolean; tenant?: string | undefined };

const MAX_HOSTS = 10;
/** Dead mail hosts may precede a live one, so more are looked up than needed, in batches. */
const MAX_LOOKUPS = 30;
const BATCH = 10;
const MAX_ADDRESSES = 8;
const IPV6_GRACE_MS = 1000;

/** `domain` is in A-labels. */
export async function findMailRoute(
  deps: MailRouteDeps,
  domain: string,
  urgency: LookupUrgency = { isUrgent: true },
): Promise<MailRoute> {
  const { isUrgent, tenant } = urgency;
  const answer = await deps.resolver.query(domain, "MX", isUrgent ? "interactive" : "mail_exchanger", tenant);
  if (isFailure(answer)) return { kind: "dns_error", hosts: [], reason: answer.status };
  if (answer.status === "nxdomain") return { kind: "domain_not_found" };
  if (answer.status === "nodata") return implicitRoute(deps, normaliseName(domain), urgency);

  const exchangers = exchangersByPreference(answer.records);
  if (exchangers.length === 0) return { kind: "null_mx" };
  const lookups = await lookUpHosts(deps, exchangers, urgency);
  const usable = lookups.flatMap(({ exchange, preference, found }) =>
    found.kind === "addresses" ? [{ name: exchange, preference, addresses: found.addresses }] : [],
  );
  const hosts = usable.slice(0, MAX_HOSTS);
  const isTruncated = lookups.length < exchangers.length || hosts.length < usable.length;
  if (hosts.length === 0) {
    const failed = failedRoute(lookups, isTruncated);
    return failed ?? withoutUsableHost((await findAddresses(deps, domain, urgency)).kind === "addresses");
  }
  const unresolved = lookups.flatMap(({ exchange, preference, found }) =>
    found.kind === "failed" ? [{ exchange, preference }] : [],
  );
  const isPartial = isTruncated || unresolved.length > 0;
  const route: MailRoute = { kind: "mail_hosts", implicit: false, hosts, isPartial };
  return unresolved.length > 0 ? { ...route, unresolved } : route;
}

/** Without MX records the domain itself is the mail host, if it has an address. */
async function implicitRoute(
  deps: MailRouteDeps,
  domain: string,
  urgency: LookupUrgency,
): Promise<MailRoute> {
  const found = await findAddresses(deps, domain, urgency);
  if (found.kind === "unresolvable") return { kind: "no_mail_server" };
  if (found.kind !== "addresses")
    return failedRoute([{ exchange: domain, found }], false) ?? withoutUsableHost(false);
  const host = { name: domain, preference: 0, addresses: found.addresses };
  return { kind: "mail_hosts", implicit: true, hosts: [host], isPartial: false };
}

/** By preference, without duplicates. The root (".") means "no mail here" (RFC 7505). */
function exchangersByPreference(records: readonly RecordData["MX"][]): RecordData["MX"][] {
  const best = new Map<string, RecordData["MX"]>();
  for (const record of records) {
    if (record.exchange === "." || record.exchange === "") continue;
    const known = best.get(record.exchange);
    if (!known || record.preference < known.preference) best.set(record.exchange, record);
  }
  return [...best.values()].sort(byPreferenceThenName);
}

function byPreferenceThenName(a: RecordData["MX"], b: RecordData["MX"]): number {
  return a.preference - b.preference || (a.exchange < b.exchange ? -1 : 1);
}

type HostLookup = RecordData["MX"] & { found: AddressLookup };

/** Resolves the exchangers by preference until there are enough usable ones or the limit is reached. */
async function lookUpHosts(
  deps: MailRouteDeps,
  exchangers: readonly RecordData["MX"][],
  urgency: LookupUrgency,
): Promise<HostLookup[]> {
  const lookups: HostLookup[] = [];
  const end = Math.min(exchangers.length, MAX_LOOKUPS);
  let usable = 0;
  while (lookups.length < end && usable < MAX_HOSTS) {
    const batch = exchangers.slice(lookups.length, Math.min(lookups.length + BATCH, end));
    const found = await Promise.all(
      batch.map(async (mx) => ({ ...mx, found: await findAddresses(deps, mx.exchange, urgency) })),
    );
    lookups.push(...found);
    usable += found.filter((lookup) => lookup.found.kind === "addresses").length;
  }
  return lookups;
}

type AddressLookup =
  | { kind: "addresses"; addresses: string[] }
  | { kind: "unresolvable" | "not_public" }
  | { kind: "failed"; failure: DnsFailure };

async function findAddresses(
  { resolver, guard, hasIpv6 = () => true }: MailRouteDeps,
  host: string,
  { isUrgent, tenant }: LookupUrgency,
): Promise<AddressLookup> {
  // Forbidden by RFC 5321, 5.1, and never connected to. Some senders deliver there, so the mailbox may receive mail.
  if (isIP(host))
    return guard.permits(host) ? { kind: "failed", failure: "unaskable" } : { kind: "not_public" };
  if (!isHostName(host)) return { kind: "unresolvable" };
  const priority = isUrgent ? "interactive" : "address";
  const query = (type: "A" | "AAAA"): Promise<AddressAnswer> => resolver.query(host, type, priority, tenant);
  const ipv6Answer = hasIpv6() ? query("AAAA") : undefined;
  let known: AddressAnswer | undefined;
  void ipv6Answer?.then((answer) => {
    known = answer;
  });
  const ipv4 = await query("A");
  const addresses = permitted(ipv4, guard);
  if (!ipv6Answer && addresses.length > 0) return foundAddresses(addresses);
  if (!ipv6Answer && isFailure(ipv4)) return { kind: "failed", failure: ipv4.status };
  // Some name servers never answer AAAA queries. With an IPv4 address available, the wait is short.
  const ipv6InTime = () => withTimeLimit<AddressAnswer>(IPV6_GRACE_MS, ipv6Answer!, { status: "timeout" });
  const ipv6 = known ?? (await (addresses.length > 0 ? ipv6InTime() : (ipv6Answer ?? query("AAAA"))));

  addresses.push(...permitted(ipv6, guard));
  if (addresses.length > 0) return foundAddresses(addresses);
  const answers = [ipv4, ipv6];
  const failure = answers.find(isFailure);
  if (failure) return { kind: "failed", failure: failure.status };
  return { kind: answers.some(({ status }) => status === "answer") ? "not_public" : "unresolvable" };
}

type AddressAnswer = DnsAnswer<"A" | "AAAA">;

function foundAddresses(addresses: readonly string[]): AddressLookup {
  return { kind: "addresses", addresses: addresses.slice(0, MAX_ADDRESSES) };
}

function permitted(answer: AddressAnswer, guard: MailRouteDeps["guard"]): string[] {
  return answer.status === "answer" ? answer.records.filter((address) => guard.permits(address)) : [];
}

/** None of these hosts is usable: after a failure, or with hosts left that were not looked up, the route is unknown. */
function failedRoute(
  lookups: readonly Pick<HostLookup, "exchange" | "found">[],
  isTruncated: boolean,
): MailRoute | undefined {
  const hosts = lookups.map(({ exchange }) => exchange);
  for (const { found } of lookups) {
    if (found.kind === "failed") return { kind: "dns_error", hosts, reason: found.failure };
  }
  return isTruncated ? { kind: "dns_error", hosts, reason: "too_many_hosts" } : undefined;
}

function withoutUsableHost(isPublic: boolean): MailRoute {
  return isPublic ? { kind: "unroutable", hosts: [] } : { kind: "domain_not_found" };
}
