/**
 * Reads EGRESS_FILE: the egress identities of a deployment, as JSON. Every problem is reported, with the identity and the
 * field it is in; unknown fields are problems too. docs/egress.md describes the fields.
 */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { isMailProvider } from "../reference/mail-provider.ts";
import { isEhloName, isSender, proxyFrom } from "../smtp/client/egress-text.ts";
import { type EgressIdentity, originOf } from "./identity.ts";

export type IdentityFile = { identities: EgressIdentity[]; problems: string[] };

const MAX_IDENTITIES = 1000;
const MAX_SESSIONS_PER_DAY = 100_000_000;
const MAX_SHARE = 1000;
/** Used in keys and as a label of metrics. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const PROCESS_NAME = /^[\w.-]{1,255}$/;

type Field = {
  expected: string;
  isValid(value: unknown): boolean;
  isRequired?: true;
  /** Its value may have a password, and is not printed. */
  isSecret?: true;
};

const isText = (isValid: (value: string) => boolean) => (value: unknown) =>
  typeof value === "string" && isValid(value);

const FIELDS: Readonly<Record<string, Field>> = {
  name: {
    expected:
      "1 to 63 lower-case letters, digits, dots, hyphens and underscores, beginning with a letter or digit",
    isValid: isText((value) => NAME.test(value)),
    isRequired: true,
  },
  ehlo_name: {
    expected: "a host name such as probe.example.com",
    isValid: isText(isEhloName),
    isRequired: true,
  },
  mail_from: { expected: "an address such as probe@example.com", isValid: isText(isSender) },
  source_address: {
    expected: "an IP address of this machine",
    isValid: isText((value) => isIP(value) !== 0),
  },
  socks_proxy: {
    expected: "socks5://[user:password@]host:port, with special characters as %40",
    isValid: isText((value) => proxyFrom(value) !== undefined),
    isSecret: true,
  },
  providers: {
    expected:
      'a list of mail providers, such as ["google", "microsoft_365"]; "other" for all that have no name',
    isValid: (value) => Array.isArray(value) && value.length > 0 && value.every(isText(isMailProvider)),
  },
  share: {
    expected: `a number above 0 and up to ${MAX_SHARE}`,
    isValid: (value) => typeof value === "number" && value > 0 && value <= MAX_SHARE,
  },
  sessions_per_day: {
    expected: `a whole number from 1 to ${MAX_SESSIONS_PER_DAY}`,
    isValid: (value) =>
      Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_SESSIONS_PER_DAY,
  },
  owner: {
    expected: "the PROCESS_NAME of one process",
    isValid: isText((value) => PROCESS_NAME.test(value)),
  },
};

/** Throws when the file cannot be read. */
export function readIdentityFile(path: string): IdentityFile {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return { identities: [], problems: [`is not JSON: ${error.message}`] };
    throw error;
  }
  if (!isObject(content) || !Array.isArray(content.identities) || Object.keys(content).length > 1)
    return { identities: [], problems: ['expected {"identities": [...]} and nothing else'] };
  return identitiesFrom(content.identities);
}

/** Validates the entries of the file, or of options that have the same fields. */
export function identitiesFrom(entries: readonly unknown[]): IdentityFile {
  if (entries.length === 0 || entries.length > MAX_IDENTITIES)
    return { identities: [], problems: [`identities: expected 1 to ${MAX_IDENTITIES}`] };
  const problems = entries.flatMap((entry, index) => {
    const label =
      isObject(entry) && typeof entry.name === "string" ? `"${entry.name}"` : `number ${index + 1}`;
    return problemsOf(entry).map((problem) => `identity ${label}: ${problem}`);
  });
  if (problems.length > 0) return { identities: [], problems };
  const identities = (entries as IdentityEntry[]).map(identityOf);
  return { identities, problems: duplicates(identities) };
}

function problemsOf(entry: unknown): string[] {
  if (!isObject(entry)) return ["expected an object"];
  const unknown = Object.keys(entry).filter((name) => !Object.hasOwn(FIELDS, name));
  const problems = unknown.map(
    (name) => `${name}: no such field; there are ${Object.keys(FIELDS).join(", ")}`,
  );
  for (const [name, { expected, isValid, isRequired, isSecret }] of Object.entries(FIELDS)) {
    const value = entry[name];
    if (value === undefined) {
      if (isRequired) problems.push(`${name} is missing: expected ${expected}`);
    } else if (!isValid(value)) {
      problems.push(`${name}=${isSecret ? "***" : JSON.stringify(value)}: expected ${expected}`);
    }
  }
  if (entry.source_address !== undefined && entry.socks_proxy !== undefined)
    problems.push("expected source_address or socks_proxy, not both");
  return problems;
}

/** An identity as written in the file (docs/egress.md). */
export type IdentityEntry = {
  name: string;
  ehlo_name: string;
  mail_from?: string;
  source_address?: string;
  socks_proxy?: string;
  providers?: string[];
  share?: number;
  sessions_per_day?: number;
  owner?: string;
};

function identityOf(entry: IdentityEntry): EgressIdentity {
  const { name, ehlo_name: ehloName, mail_from: mailFrom = `postmaster@${ehloName}`, share = 1 } = entry;
  return {
    name,
    ehloName,
    mailFrom,
    share,
    isCounted: true,
    ...(entry.source_address !== undefined && { sourceAddress: entry.source_address }),
    ...(entry.socks_proxy !== undefined && { proxy: proxyFrom(entry.socks_proxy)! }),
    ...(entry.providers && { providers: entry.providers }),
    ...(entry.sessions_per_day !== undefined && { sessionsPerDay: entry.sessions_per_day }),
    ...(entry.owner !== undefined && { owner: entry.owner }),
  };
}

/** A mail host would see the sum of two identities with one address. Machines differ, so each owner has its own. */
function duplicates(identities: readonly EgressIdentity[]): string[] {
  const problems: string[] = [];
  const names = new Set<string>();
  const origins = new Map<string, string>();
  for (const identity of identities) {
    const { name, owner = "" } = identity;
    if (names.has(name)) problems.push(`identity "${name}": there are two of this name`);
    names.add(name);
    const origin =
      identity.sourceAddress || identity.proxy ? originOf(identity) : `${originOf(identity)} ${owner}`;
    const other = origins.get(origin);
    if (other !== undefined)
      problems.push(`identity "${name}": connects from ${originOf(identity)}, as "${other}" does`);
    origins.set(origin, name);
  }
  return problems;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
