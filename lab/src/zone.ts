/**
 * The names of a small made-up Internet, and what a name server would say about each.
 *
 * Pure: a world and a question in, the sections of an answer out. Sockets are in name-server.ts, and the
 * moods a name can be in (silent, slow, garbage …) in name-temper.ts.
 */
import type { Answer, SoaAnswer } from "dns-packet";
import type { NameTemper } from "./name-temper.ts";
import { RCODE, type Rcode } from "./rcode.ts";

/** Full name, in lower case and without a final dot → what it answers. `*.x` stands for any name below x. */
export type World = Record<string, NameEntry>;

export type NameEntry = {
  A?: string[];
  AAAA?: string[];
  MX?: { preference: number; exchange: string }[];
  /** One item per record; an item that is a list is a record made of several strings. */
  TXT?: (string | string[])[];
  CNAME?: string;
  PTR?: string[];
  /** The zone begins here; missing fields are filled in. */
  SOA?: { minimum?: number; ttl?: number };
  /** Lifetime of these records, 300 unless told. */
  ttl?: number;
  /** The mood this name answers in, for all types or type by type; plain and prompt unless told. */
  answers?: NameTemper | { [type in QuestionType]?: NameTemper };
};

export type QuestionType = "A" | "AAAA" | "MX" | "TXT" | "CNAME" | "PTR" | "SOA";

export type Zone = {
  lookUp(name: string, type: string): Finding;
  /** The entry a question falls on: the name itself, or the wildcard that stands for it. */
  entryOf(name: string): NameEntry | undefined;
};

export type Finding = { rcode: Rcode; answers: Answer[]; authorities: Answer[] };

const DEFAULT_TTL = 300;
const DEFAULT_NEGATIVE_TTL = 60;
const MAX_ALIASES = 8;

export function createZone(world: World): Zone {
  const entries = new Map(Object.entries(world).map(([name, entry]) => [plainName(name), entry]));
  const inBetween = emptyNonTerminals(entries.keys());

  const entryOf = (name: string): NameEntry | undefined => {
    const exact = entries.get(name);
    if (exact || inBetween.has(name)) return exact;
    for (const parent of ancestors(name)) {
      const wildcard = entries.get(`*.${parent}`);
      if (wildcard) return wildcard;
      if (entries.has(parent) || inBetween.has(parent)) return undefined; // the closest name decides
    }
    return undefined;
  };

  const lookUp = (asked: string, type: string): Finding => {
    const answers: Answer[] = [];
    let name = plainName(asked);
    for (let aliases = 0; aliases <= MAX_ALIASES; aliases++) {
      const entry = entryOf(name);
      const found = entry === undefined ? [] : recordsOf(name, type, entry);
      answers.push(...found);
      if (found.length > 0) return { rcode: RCODE.noError, answers, authorities: [] };
      if (entry?.CNAME === undefined) {
        const rcode = entry || inBetween.has(name) ? RCODE.noError : RCODE.nxDomain;
        return { rcode, answers, authorities: [soaFor(name, entries)] };
      }
      answers.push({ name, type: "CNAME", ttl: entry.ttl ?? DEFAULT_TTL, data: entry.CNAME });
      name = plainName(entry.CNAME);
    }
    return { rcode: RCODE.noError, answers, authorities: [] }; // aliases in a circle: that is all there is to say
  };

  return { lookUp, entryOf: (name) => entryOf(plainName(name)) };
}

export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

function recordsOf(name: string, type: string, entry: NameEntry): Answer[] {
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

/** The start of the zone a name is in: the nearest one the world describes, else its top-level domain. */
function soaFor(name: string, entries: Map<string, NameEntry>): SoaAnswer {
  for (const zone of [name, ...ancestors(name)]) {
    const soa = entries.get(zone)?.SOA;
    if (soa) return soaRecord(zone, soa);
  }
  return soaRecord(name.split(".").at(-1) ?? "", {});
}

function soaRecord(
  zone: string,
  { minimum = DEFAULT_NEGATIVE_TTL, ttl = 3600 }: NonNullable<NameEntry["SOA"]>,
) {
  const data = { mname: `ns.${zone}`, rname: `hostmaster.${zone}`, serial: 1, minimum };
  return { name: zone, type: "SOA", ttl, data } satisfies SoaAnswer;
}

/** Names that hold nothing themselves but have a name below them: they exist, with no records. */
function emptyNonTerminals(names: Iterable<string>): Set<string> {
  return new Set([...names].flatMap((name) => ancestors(name)));
}

/** `a.b.c` → `b.c`, `c`. */
function ancestors(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join("."));
}
