/**
 * Where a domain's mail goes: its mail exchangers with addresses we may connect to, or why there are none.
 *
 * The rules are those of RFC 5321, 5.1 and RFC 7505. The one we add: only what a name server has positively
 * said counts against a domain. Whenever a failure stands between us and the answer, the route is `dns_error`.
 * And "all its mail hosts" is said only where we have looked at all of them.
 */
import type { EgressGuard } from "../egress/guard.ts";
import { type DnsAnswer, type DnsFailure, isFailure, type RecordData } from "./dns-answer.ts";
import { isHostName, plainName } from "./host-name.ts";
import type { Resolver } from "./resolver.ts";

export type MailRoute =
  | {
      kind: "mail_hosts";
      /** The domain names no mail exchanger, so it is its own (RFC 5321, 5.1). */
      implicit: boolean;
      /** Best first. Equal preferences in order of name: domains that share mail hosts get the same route. */
      hosts: MailHost[];
      /** The domain may have more mail hosts: a lookup failed, or there were too many. So these are not "all". */
      isPartial: boolean;
    }
  | { kind: "null_mx" | "domain_not_found" | "no_mail_server" }
  | { kind: "unroutable"; hosts: string[]; reason: UnroutableReason }
  | { kind: "dns_error"; hosts: string[]; reason: RouteFailure };

/** `addresses` are permitted by the guard and to be connected to as they are, IPv4 first. */
export type MailHost = { name: string; preference: number; addresses: string[] };

/** No mail host has an address, or they have none on the public Internet. */
export type UnroutableReason = "unresolvable" | "not_public";

/** Why we do not know the route. */
export type RouteFailure =
  | DnsFailure
  | "too_many_hosts" // the mail hosts we looked at lead nowhere, and there are more than we look at
  | "disbelieved"; //   the name servers bury a domain that everybody knows to be alive

export type MailRouteDeps = { resolver: Pick<Resolver, "ask">; guard: Pick<EgressGuard, "permits"> };

const MAX_HOSTS = 10;
/** Dead mail hosts may stand before a live one, so we look further than we need, a batch at a time. */
const MAX_LOOKUPS = 30;
const BATCH = 10;
const MAX_ADDRESSES = 8;
const IPV6_GRACE_MS = 1000;

/** The domain in its ASCII form. */
export async function findMailRoute(deps: MailRouteDeps, domain: string): Promise<MailRoute> {
  const answer = await deps.resolver.ask(domain, "MX");
  if (isFailure(answer)) return { kind: "dns_error", hosts: [], reason: answer.status };
  if (answer.status === "nxdomain") return { kind: "domain_not_found" };
  if (answer.status === "nodata") return implicitRoute(deps, plainName(domain));

  const exchangers = namedExchangers(answer.records);
  if (exchangers.length === 0) return { kind: "null_mx" };
  const lookups = await lookUp(deps, exchangers);
  const usable = lookups.flatMap(({ exchange, preference, found }) =>
    found.kind === "addresses" ? [{ name: exchange, preference, addresses: found.addresses }] : [],
  );
  const hosts = usable.slice(0, MAX_HOSTS);
  const isCut = lookups.length < exchangers.length || hosts.length < usable.length;
  if (hosts.length === 0) return dead(lookups, isCut);
  const isPartial = isCut || lookups.some(({ found }) => found.kind === "failed");
  return { kind: "mail_hosts", implicit: false, hosts, isPartial };
}

/** Without MX records the domain itself is the mail host, if it has an address at all. */
async function implicitRoute(deps: MailRouteDeps, domain: string): Promise<MailRoute> {
  const found = await findAddresses(deps, domain);
  if (found.kind === "unresolvable") return { kind: "no_mail_server" };
  if (found.kind !== "addresses") return dead([{ exchange: domain, found }], false);
  const host = { name: domain, preference: 0, addresses: found.addresses };
  return { kind: "mail_hosts", implicit: true, hosts: [host], isPartial: false };
}

/** The exchangers worth asking for, best first, each once. The root (".") is nobody: RFC 7505's "no mail here". */
function namedExchangers(records: readonly RecordData["MX"][]): RecordData["MX"][] {
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

type Lookup = RecordData["MX"] & { found: Found };

/** Looks the exchangers up, best first, until there are enough to ask or we have looked far enough. */
async function lookUp(deps: MailRouteDeps, exchangers: readonly RecordData["MX"][]): Promise<Lookup[]> {
  const lookups: Lookup[] = [];
  const end = Math.min(exchangers.length, MAX_LOOKUPS);
  let usable = 0;
  while (lookups.length < end && usable < MAX_HOSTS) {
    const batch = exchangers.slice(lookups.length, Math.min(lookups.length + BATCH, end));
    const found = await Promise.all(
      batch.map(async (mx) => ({ ...mx, found: await findAddresses(deps, mx.exchange) })),
    );
    lookups.push(...found);
    usable += found.filter((lookup) => lookup.found.kind === "addresses").length;
  }
  return lookups;
}

type Found =
  | { kind: "addresses"; addresses: string[] }
  | { kind: UnroutableReason }
  | { kind: "failed"; failure: DnsFailure };

async function findAddresses({ resolver, guard }: MailRouteDeps, host: string): Promise<Found> {
  if (!isHostName(host)) return { kind: "unresolvable" };
  const ipv6 = resolver.ask(host, "AAAA");
  const ipv4 = await resolver.ask(host, "A");
  const answers = [ipv4, await (permitted([ipv4], guard).length > 0 ? withinGrace(ipv6) : ipv6)];

  const addresses = permitted(answers, guard).slice(0, MAX_ADDRESSES);
  if (addresses.length > 0) return { kind: "addresses", addresses };
  const failure = answers.find(isFailure);
  if (failure) return { kind: "failed", failure: failure.status };
  return { kind: answers.some(({ status }) => status === "answer") ? "not_public" : "unresolvable" };
}

type AddressAnswer = DnsAnswer<"A" | "AAAA">;

function permitted(answers: readonly AddressAnswer[], guard: MailRouteDeps["guard"]): string[] {
  const found = answers.flatMap((answer) => (answer.status === "answer" ? answer.records : []));
  return found.filter((address) => guard.permits(address));
}

/** Some name servers never answer for AAAA. With an IPv4 address in hand we do not wait for them long. */
function withinGrace(ipv6: Promise<AddressAnswer>): Promise<AddressAnswer> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ status: "timeout" }), IPV6_GRACE_MS);
    ipv6.then((answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
  });
}

/**
 * None of these hosts can be connected to. After a failure among them, or with others left over that we did
 * not look at, we do not know whether one could.
 */
function dead(lookups: readonly Pick<Lookup, "exchange" | "found">[], isCut: boolean): MailRoute {
  const hosts = lookups.map(({ exchange }) => exchange);
  for (const { found } of lookups) {
    if (found.kind === "failed") return { kind: "dns_error", hosts, reason: found.failure };
  }
  if (isCut) return { kind: "dns_error", hosts, reason: "too_many_hosts" };
  const isPrivate = lookups.some(({ found }) => found.kind === "not_public");
  return { kind: "unroutable", hosts, reason: isPrivate ? "not_public" : "unresolvable" };
}
