/**
 * Mail domains and mail hosts in the description of a world, and what they come to: names and servers.
 *
 * Pure: every host is given a loopback address of its own here, and is brought to life in lab.ts.
 */
import { forDomain, type MailServerOptions, type Temper, type Users } from "./mail/index.ts";
import { amongUsers, type Mailbox } from "./mail/mailboxes.ts";
import type { NameEntry, World } from "./zone.ts";

/** Full name → its records, or the mail domain or mail host that it is. */
export type MailWorld = Record<string, NameEntry | MailDomain | MailHost>;

export type HostOptions = Pick<MailServerOptions, "temper" | "latencyMs" | "connectionCap"> & {
  /** It has a name and an address, and nothing listens there. */
  down?: boolean;
};

export type MailDomainOptions = HostOptions & {
  users?: Users;
  /** Hosts of its own, in order of preference, under their names below the domain; `mx` alone otherwise. */
  hosts?: Record<string, HostOptions>;
  /** Instead of own hosts: names of mail hosts that stand elsewhere in the world, in order of preference. */
  mx?: readonly string[];
  /** No MX record: the domain's own address takes its mail. */
  implicitMx?: true;
  /** Further records of the domain itself. */
  records?: NameEntry;
};

export type MailDomain = { readonly kind: "mail_domain" } & MailDomainOptions;
export type MailHost = { readonly kind: "mail_host" } & HostOptions;

/** A domain with mailboxes. What is said of a host (temper, latency …) holds for each of its own hosts. */
export const mailDomain = (options: MailDomainOptions = {}): MailDomain => ({
  kind: "mail_domain",
  ...options,
});

/** A mail host with no domain of its own, for domains that name it in their `mx`. */
export const mailHost = (options: HostOptions = {}): MailHost => ({ kind: "mail_host", ...options });

export type SettledWorld = {
  readonly names: World;
  /** One for each host that is up, all but its port. */
  readonly servers: readonly Omit<MailServerOptions, "port">[];
  /** Domain → the name of a host that knows its mailboxes. */
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

export function settle(world: MailWorld): SettledWorld {
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

function isMail(entry: MailWorld[string]): entry is MailDomain | MailHost {
  return "kind" in entry;
}

/** 127.0.1.1, 127.0.1.2 … 127.0.2.1 …: room for 63,000 hosts. */
function addressNumber(index: number): string {
  return `127.0.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`;
}

function recordsOf({ options }: Domain, exchanges: readonly string[]): NameEntry {
  if (options.implicitMx) return {};
  return {
    MX: exchanges.map((exchange, index) => ({ preference: FIRST_PREFERENCE * (index + 1), exchange })),
  };
}

/** A host that serves several domains has each one's temper for that one's recipients, then its own. */
function serverFor({ name, address, options, domains }: Host): Omit<MailServerOptions, "port"> {
  const { down: _, temper = [], latencyMs = 0, connectionCap = Number.POSITIVE_INFINITY } = options;
  const isUser = new Map(domains.map((domain) => [domain.name, amongUsers(domain.options.users ?? [])]));
  const guests = domains.filter((domain) => domain.options.mx !== undefined);
  const theirs: Temper = guests.map((domain) => forDomain(domain.name, domain.options.temper ?? []));
  return {
    name,
    address,
    domains: domains.map((domain) => domain.name),
    users: (mailbox: Mailbox) => isUser.get(mailbox.domain)?.(mailbox) ?? false,
    temper: [theirs, temper],
    latencyMs,
    connectionCap,
  };
}
