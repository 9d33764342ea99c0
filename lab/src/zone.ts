/**
 * DNS zone data of a world, and lookups in it.
 *
 * Pure: takes a name and a type, returns the sections of a response. Sockets are in name-server.ts; faults (silent,
 * slow, garbage …) are in dns-temperament.ts.
 */
import type { Answer, SoaAnswer } from "dns-packet";
import { type DnsTemperament, RCODE, type Rcode } from "./dns-temperament.ts";

/** Full name, in lower case and without a trailing dot → its records. `*.x` is a wildcard for names below x. */
export type World = Record<string, DnsEntry>;

export type DnsEntry = {
  A?: string[];
  AAAA?: string[];
  MX?: { preference: number; exchange: string }[];
  /** One item per record; a list is a record with several strings. */
  TXT?: (string | string[])[];
  CNAME?: string;
  PTR?: string[];
  /** Start of a zone; missing fields get defaults. */
  SOA?: { minimum?: number; ttl?: number };
  /** TTL of these records. Default: 300. */
  ttl?: number;
  /** Faults in the responses for this name, for all types or by type. Default: none. */
  answers?: DnsTemperament | { [type in QuestionType]?: DnsTemperament };
};

export type QuestionType = "A" | "AAAA" | "MX" | "TXT" | "CNAME" | "PTR" | "SOA";

export type Zone = {
  lookUp(name: string, type: string): LookupResult;
  /** The entry that matches a name: its own, or a wildcard. */
  entryOf(name: string): DnsEntry | undefined;
};

export type LookupResult = { rcode: Rcode; answers: Answer[]; authorities: Answer[] };

const DEFAULT_TTL = 300;
const DEFAULT_NEGATIVE_TTL = 60;
const MAX_ALIASES = 8;

export function createZone(world: World): Zone {
  const entries = new Map(Object.entries(world).map(([name, entry]) => [plainName(name), entry]));
  const emptyNames = emptyNonTerminals(entries.keys());

  const entryOf = (name: string): DnsEntry | undefined => {
    const exact = entries.get(name);
    if (exact || emptyNames.has(name)) return exact;
    for (const parent of ancestors(name)) {
      const wildcard = entries.get(`*.${parent}`);
      if (wildcard) return wildcard;
      if (entries.has(parent) || emptyNames.has(parent)) return undefined; // the closest encloser decides (RFC 4592)
    }
    return undefined;
  };

  const lookUp = (queried: string, type: string): LookupResult => {
    const answers: Answer[] = [];
    let name = plainName(queried);
    for (let aliases = 0; aliases <= MAX_ALIASES; aliases++) {
      const entry = entryOf(name);
      const found = entry === undefined ? [] : recordsOf(name, type, entry);
      answers.push(...found);
      if (found.length > 0) return { rcode: RCODE.noError, answers, authorities: [] };
      if (entry?.CNAME === undefined) {
        const rcode = entry || emptyNames.has(name) ? RCODE.noError : RCODE.nxDomain;
        return { rcode, answers, authorities: [soaFor(name, entries)] };
      }
      answers.push({ name, type: "CNAME", ttl: entry.ttl ?? DEFAULT_TTL, data: entry.CNAME });
      name = plainName(entry.CNAME);
    }
    return { rcode: RCODE.noError, answers, authorities: [] }; // alias loop
  };

  return { lookUp, entryOf: (name) => entryOf(plainName(name)) };
}

export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

function recordsOf(name: string, type: string, entry: DnsEntry): Answer[] {
  const ttl = entry.ttl ?? DEFAULT_TTL;
  switch (type) {
    case "A":
    case "AAAA":
    case "PTR":
      return (entry[type] ?? []).map((data) => ({ name, type, ttl, data }));
    case "MX":
      return (entry.MX ?? []).map((data) => ({ name, type, ttl, data }));
    case "TXT":
      return (entry.TXT ?? []).map((text) => ({ name, type, ttl, data: [text].flat() }));
    case "CNAME":
      return entry.CNAME === undefined ? [] : [{ name, type, ttl, data: entry.CNAME }];
    case "SOA":
      return entry.SOA === undefined ? [] : [soaRecord(name, entry.SOA)];
    default:
      return [];
  }
}

/** SOA of the zone of a name: the nearest one in the world, or that of its top-level domain. */
function soaFor(name: string, entries: Map<string, DnsEntry>): SoaAnswer {
  for (const zone of [name, ...ancestors(name)]) {
    const soa = entries.get(zone)?.SOA;
    if (soa) return soaRecord(zone, soa);
  }
  return soaRecord(name.split(".").at(-1) ?? "", {});
}

function soaRecord(
  zone: string,
  { minimum = DEFAULT_NEGATIVE_TTL, ttl = 3600 }: NonNullable<DnsEntry["SOA"]>,
) {
  const data = { mname: `ns.${zone}`, rname: `hostmaster.${zone}`, serial: 1, minimum };
  return { name: zone, type: "SOA", ttl, data } satisfies SoaAnswer;
}

/** Empty non-terminals (RFC 8020): names without records that have a name below them. */
function emptyNonTerminals(names: Iterable<string>): Set<string> {
  return new Set([...names].flatMap((name) => ancestors(name)));
}

/** `a.b.c` → `b.c`, `c`. */
function ancestors(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join("."));
}
