/**
 * The shapes of list that the SMTP benchmarks measure, and the right answer for each of their addresses.
 *
 * Data only: lab-process.ts opens the mail hosts, measure.ts runs the checkers.
 */
import type { Answer } from "./verdict-tally.ts";

/** Simulated round-trip time to every mail host. The name server answers at once, like a resolver with a warm cache. */
export const LATENCY_MS = 40;

export type Shape = {
  readonly name: string;
  readonly title: string;
  readonly domains: number;
  readonly hosts: number;
  /** Length of the list; in the long tail, one to three addresses per domain. */
  readonly addresses: number | "one to three per domain";
  /** Connections per host that every checker is allowed. */
  readonly connections: number;
  /** Connections per host above which the host replies 421. Without it there is no limit. */
  readonly hostCap?: number;
  /** One domain in five has lost four mailboxes of five, and the others one in twenty; one in five of all, as elsewhere. */
  readonly hasDeadDomains?: boolean;
  /** Another one has other domains, so other mailboxes do not exist. */
  readonly list?: number;
};

export type ListedAddress = { readonly email: string; readonly host: string; readonly answer: Answer };

const SHARED = { domains: 500, hosts: 40, addresses: 10_000 };
const TAIL = { domains: 2000, hosts: 1738, addresses: "one to three per domain" } as const;
const STRICT = { domains: 12, hosts: 1, addresses: 300, hostCap: 2 };

export const SHAPES: readonly Shape[] = [
  { name: "shared", title: "shared hosts, equal politeness", ...SHARED, connections: 1 },
  { name: "dead", title: "shared hosts, dead domains", ...SHARED, connections: 1, hasDeadDomains: true },
  { name: "loose", title: "shared hosts, let loose", ...SHARED, connections: 24 },
  { name: "tail", title: "long tail", ...TAIL, connections: 1 },
  { name: "strict", title: "one strict host, one connection", ...STRICT, connections: 1 },
  { name: "strict-two", title: "one strict host, two connections", ...STRICT, connections: 2 },
  {
    name: "strict-over",
    title: "one strict host, two connections where it allows one",
    ...STRICT,
    hostCap: 1,
    connections: 2,
  },
];

/** The shapes chosen by `--shape`, `--scale` and `--list`; all of them without names. */
export function shapesNamed(names: readonly string[] | undefined, scale: string, list = "1"): Shape[] {
  const factor = Number(scale);
  if (!(factor > 0 && factor <= 100)) throw new Error(`--scale ${scale}: expected a number up to 100`);
  if (!/^\d{1,3}$/.test(list)) throw new Error(`--list ${list}: expected a number up to 999`);
  const chosen = names?.map((name) => {
    const found = SHAPES.find((shape) => shape.name === name);
    if (!found) throw new Error(`--shape ${name}: expected ${SHAPES.map((shape) => shape.name).join(", ")}`);
    return found;
  });
  return (chosen ?? SHAPES).map((shape) => ({ ...scaled(shape, factor), list: Number(list) }));
}

/** What the shape is, in one line. */
export function describe(shape: Shape): string {
  const count = (of: number, thing: string) => `${of.toLocaleString("en")} ${thing}${of === 1 ? "" : "s"}`;
  const addresses = listOf(shape).length.toLocaleString("en");
  const [domains, hosts] = [count(shape.domains, "domain"), count(shape.hosts, "host")];
  return `${shape.title}: ${addresses} addresses, ${domains}, ${hosts}, ${count(shape.connections, "connection")} per host`;
}

/** The shape with a fraction or a multiple of its addresses; in the long tail, of its domains and hosts. */
export function scaled(shape: Shape, scale: number): Shape {
  const part = (count: number) => Math.max(1, Math.round(count * scale));
  if (typeof shape.addresses === "number") return { ...shape, addresses: part(shape.addresses) };
  return { ...shape, domains: part(shape.domains), hosts: part(shape.hosts) };
}

export const domainName = ({ list = 1 }: Shape, index: number) =>
  list === 1 ? `domain${index}.test` : `domain${index}.list${list}.test`;
export const hostName = (index: number) => `mx${index}.hosting.test`;
/** Domains after those of the list are for the warm-up, each with a host of its own. */
export const hostOf = ({ domains, hosts }: Shape, domain: number) =>
  hostName(domain < domains ? domain % hosts : hosts + domain - domains);

/** One mailbox in five does not exist and one domain in ten is a catch-all, the same ones in every run. */
export const isCatchAll = (domain: string) => hashOf(domain) % 10 === 0;
export const exists = ({ hasDeadDomains }: Shape, localPart: string, domain: string) =>
  /^ann\d+$/.test(localPart) &&
  (hasDeadDomains
    ? hashOf(`${localPart}@${domain}`) % 100 >= (hashOf(`dead ${domain}`) % 5 === 0 ? 80 : 5)
    : hashOf(`${localPart}@${domain}`) % 5 !== 0);

/** The list of a shape. As in real lists, the addresses of a domain are not next to each other. */
export function listOf(shape: Shape): ListedAddress[] {
  const { domains, addresses } = shape;
  const isTail = typeof addresses !== "number";
  const places = isTail ? 3 * domains : addresses;
  const list: ListedAddress[] = [];
  for (let place = 0; place < places; place++) {
    const domain = place % domains;
    const round = Math.floor(place / domains);
    if (!isTail || round <= domain % 3) list.push(listed(shape, domain, `ann${round}`));
  }
  return list;
}

/** With 1,500, a third of the CPU time of the measured run went into compiling. */
const MAX_WARM_UP_ADDRESSES = 10_000;
const WARM_UP_LISTS = 2.5;
const MAX_WARM_UP_NAMES = 40;

/** How many domains only the warm-up uses, so that it teaches a checker nothing about the list, and how many addresses of each. */
function warmUpOf(shape: Shape): { domains: number; names: number } {
  const { length } = listOf(shape);
  const names = Math.min(MAX_WARM_UP_NAMES, Math.ceil(length / shape.hosts));
  return { domains: Math.ceil(Math.min(MAX_WARM_UP_ADDRESSES, WARM_UP_LISTS * length) / names), names };
}

export const warmUpDomains = (shape: Shape) => warmUpOf(shape).domains;

export function warmUpList(shape: Shape): string[] {
  const { domains, names } = warmUpOf(shape);
  return Array.from({ length: names }, (_, name) =>
    Array.from({ length: domains }, (_, i) => `ann${name}@${domainName(shape, shape.domains + i)}`),
  ).flat();
}

function listed(shape: Shape, index: number, localPart: string): ListedAddress {
  const domain = domainName(shape, index);
  const found = exists(shape, localPart, domain) ? "deliverable" : "undeliverable";
  return {
    email: `${localPart}@${domain}`,
    host: hostOf(shape, index),
    answer: isCatchAll(domain) ? "uncertain" : found,
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
