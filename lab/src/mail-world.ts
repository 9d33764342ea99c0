/**
 * Description of mail domains and mail hosts, and its resolution to DNS records and servers.
 *
 * Pure: every host is assigned its own loopback address here; lab.ts starts the servers.
 */
import { forDomain, type MailServerOptions, type Temper, type Users } from "./mail/index.ts";
import { amongUsers, type Mailbox } from "./mail/mailboxes.ts";
import type { DnsEntry, World } from "./zone.ts";

/** Full name → its DNS records, or a mail domain or mail host. */
export type MailWorld = Record<string, DnsEntry | LabDomain | LabHost>;

export type HostOptions = Pick<MailServerOptions, "temper" | "latencyMs" | "connectionCap"> & {
  /** The host has a name and an address, but nothing listens there. */
  down?: boolean;
};

export type MailDomainOptions = HostOptions & {
  users?: Users;
  /** Own hosts by label below the domain, in order of preference. Default: `mx`. */
  hosts?: Record<string, HostOptions>;
  /** Instead of own hosts: names of mail hosts defined elsewhere in the world, in order of preference. */
  mx?: readonly string[];
  /** No MX record: mail goes to the address of the domain (RFC 5321, 5.1). */
  implicitMx?: true;
  /** Further records of the domain itself. */
  records?: DnsEntry;
};

export type LabDomain = { readonly kind: "mail_domain" } & MailDomainOptions;
export type LabHost = { readonly kind: "mail_host" } & HostOptions;

/** A domain with mailboxes. Host options (temper, latency …) apply to each of its own hosts. */
export const mailDomain = (options: MailDomainOptions = {}): LabDomain => ({
  kind: "mail_domain",
  ...options,
});

/** A mail host without a domain, for domains that list it in their `mx`. */
export const mailHost = (options: HostOptions = {}): LabHost => ({ kind: "mail_host", ...options });

export type ResolvedWorld = {
  readonly names: World;
  /** Options of each host that is up, without the port. */
  readonly servers: readonly Omit<MailServerOptions, "port">[];
  /** Domain → name of a host that serves it. */
  readonly hostOf: ReadonlyMap<string, string>;
};

type Host = {
  readonly name: string;
  readonly address: string;
  readonly options: HostOptions;
  domains: Domain[];
};
type Domain = { readonly name: string; readonly options: MailDomainOptions };

const FIRST_PREFERENCE = 10;

export function resolveWorld(world: MailWorld): ResolvedWorld {
  const names: World = {};
  const hosts = new Map<string, Host>();
  const hostOf = new Map<string, string>();
  const domains: Domain[] = [];

  for (const [name, entry] of Object.entries(world)) {
    if (!isMail(entry)) names[name] = entry;
    else if (entry.kind === "mail_host") addHost(name, entry);
    else domains.push({ name: name.toLowerCase(), options: entry });
  }
  for (const domain of domains) {
    const exchanges = domain.options.mx ?? addOwnHosts(domain);
    for (const exchange of exchanges) hosts.get(exchange)?.domains.push(domain);
    const known = exchanges.find((exchange) => hosts.get(exchange)?.options.down !== true);
    if (known !== undefined) hostOf.set(domain.name, known);
    names[domain.name] = {
      ...names[domain.name],
      ...recordsOf(domain, exchanges),
      ...domain.options.records,
    };
  }
  const servers = [...hosts.values()].filter(({ options }) => options.down !== true).map(serverFor);
  return { names, servers, hostOf };

  function addHost(name: string, options: HostOptions): string {
    const address = addressNumber(hosts.size);
    hosts.set(name, { name, address, options, domains: [] });
    names[name] = { A: [address] };
    return name;
  }

  function addOwnHosts({ name, options }: Domain): string[] {
    if (options.implicitMx) return [addHost(name, options)];
    return Object.entries(options.hosts ?? { mx: {} }).map(([label, own]) =>
      addHost(`${label}.${name}`, { ...options, ...own }),
    );
  }
}

function isMail(entry: MailWorld[string]): entry is LabDomain | LabHost {
  return "kind" in entry;
}

/** Of this process: the lab of another one may have a host at the same port, where a host of this lab is down. */
const RANGE = `127.${16 + (process.pid % 224)}`;

/** 127.16.1.1, 127.16.1.2 … 127.16.2.1 …: up to 63,000 hosts. */
function addressNumber(index: number): string {
  return `${RANGE}.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`;
}

function recordsOf({ options }: Domain, exchanges: readonly string[]): DnsEntry {
  if (options.implicitMx) return {};
  return {
    MX: exchanges.map((exchange, index) => ({ preference: FIRST_PREFERENCE * (index + 1), exchange })),
  };
}

/** On a shared host, the temperaments of a domain apply to its recipients, before those of the host. */
function serverFor({ name, address, options, domains }: Host): Omit<MailServerOptions, "port"> {
  const { down: _, temper = [], latencyMs = 0, connectionCap = Number.POSITIVE_INFINITY } = options;
  const isUser = new Map(domains.map((domain) => [domain.name, amongUsers(domain.options.users ?? [])]));
  const tenants = domains.filter((domain) => domain.options.mx !== undefined);
  const tenantTemper: Temper = tenants.map((domain) => forDomain(domain.name, domain.options.temper ?? []));
  return {
    name,
    address,
    domains: domains.map((domain) => domain.name),
    users: (mailbox: Mailbox) => isUser.get(mailbox.domain)?.(mailbox) ?? false,
    temper: [tenantTemper, temper],
    latencyMs,
    connectionCap,
  };
}
