/**
 * Where a domain's mail goes: its mail exchangers with addresses we may connect to, or why there are none.
 *
 * The rules are those of RFC 5321, 5.1 and RFC 7505. The one we add: only what a name server has positively
 * said counts against a domain. Whenever a failure stands between us and the answer, the route is `dns_error`.
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
    }
  | { kind: "null_mx" | "domain_not_found" | "no_mail_server" }
  | { kind: "unroutable"; hosts: string[]; reason: UnroutableReason }
  | { kind: "dns_error"; hosts: string[]; reason: DnsFailure };

/** `addresses` are permitted by the guard and to be connected to as they are, IPv4 first. */
export type MailHost = { name: string; preference: number; addresses: string[] };

/** No mail host has an address, or they have none on the public Internet. */
export type UnroutableReason = "unresolvable" | "not_public";

export type MailRouteDeps = { resolver: Pick<Resolver, "ask">; guard: Pick<EgressGuard, "permits"> };

const MAX_HOSTS = 10;
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
  const lookups = await Promise.all(exchangers.map(({ exchange }) => findAddresses(deps, exchange)));
  const hosts = exchangers.flatMap(({ exchange, preference }, index) => {
    const lookup = lookups[index];
    return lookup?.kind === "addresses" ? [{ name: exchange, preference, addresses: lookup.addresses }] : [];
  });
  if (hosts.length > 0) return { kind: "mail_hosts", implicit: false, hosts };
  return dead(
    exchangers.map(({ exchange }) => exchange),
    lookups,
  );
}

/** Without MX records the domain itself is the mail host, if it has an address at all. */
async function implicitRoute(deps: MailRouteDeps, domain: string): Promise<MailRoute> {
  const lookup = await findAddresses(deps, domain);
  if (lookup.kind === "unresolvable") return { kind: "no_mail_server" };
  if (lookup.kind !== "addresses") return dead([domain], [lookup]);
  const host = { name: domain, preference: 0, addresses: lookup.addresses };
  return { kind: "mail_hosts", implicit: true, hosts: [host] };
}

/** The exchangers worth asking for, best first, each once. The root (".") is nobody: RFC 7505's "no mail here". */
function namedExchangers(records: readonly RecordData["MX"][]): RecordData["MX"][] {
  const best = new Map<string, RecordData["MX"]>();
  for (const record of records) {
    if (record.exchange === "." || record.exchange === "") continue;
    const known = best.get(record.exchange);
    if (!known || record.preference < known.preference) best.set(record.exchange, record);
  }
  return [...best.values()].sort(byPreferenceThenName).slice(0, MAX_HOSTS);
}

function byPreferenceThenName(a: RecordData["MX"], b: RecordData["MX"]): number {
  return a.preference - b.preference || (a.exchange < b.exchange ? -1 : 1);
}

type AddressLookup =
  | { kind: "addresses"; addresses: string[] }
  | { kind: UnroutableReason }
  | { kind: "failed"; failure: DnsFailure };

async function findAddresses({ resolver, guard }: MailRouteDeps, host: string): Promise<AddressLookup> {
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

/** None of these hosts can be connected to. A failure among them means that we do not know whether one could. */
function dead(hosts: string[], lookups: readonly AddressLookup[]): MailRoute {
  const failed = lookups.find((lookup) => lookup.kind === "failed");
  if (failed) return { kind: "dns_error", hosts, reason: failed.failure };
  const isPrivate = lookups.some(({ kind }) => kind === "not_public");
  return { kind: "unroutable", hosts, reason: isPrivate ? "not_public" : "unresolvable" };
}
