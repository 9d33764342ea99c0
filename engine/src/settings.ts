/**
 * Reads settings from environment variables once, and reports all invalid ones together.
 *
 * `settingsFrom` is the reader that service and CLI share; `readEngineSettings` reads the engine's part. All other
 * modules receive plain values and never read the environment.
 */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { availableParallelism, hostname } from "node:os";
import { parseNameServer } from "./dns/name-servers.ts";
import { DEFAULT_IDENTITY, type EgressIdentity } from "./egress/identity.ts";
import { readIdentityFile } from "./egress/identity-file.ts";
import { parseIpRange } from "./egress/ip-range.ts";
import { readLocalLists } from "./reference/operator-lists.ts";
import { isEhloName, isSender, proxyFrom } from "./smtp/client/egress-text.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown once, naming every invalid setting. */
export class BadSettings extends Error {
  override readonly name = "BadSettings";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

/** Every setting may be given under this prefix too: MAILVET_PORT is PORT. */
export const ALIAS_PREFIX = "MAILVET_";

/** A secret may be given as the path of a file that holds it: DATABASE_URL_FILE. */
export const FILE_SUFFIX = "_FILE";

/** The variables that give a setting, the plain one first. Variables of OpenTelemetry have no alias: its packages read them. */
export function variablesOf(name: string, isSecret: boolean): string[] {
  const variables = name.startsWith("OTEL_") ? [name] : [name, ALIAS_PREFIX + name];
  return isSecret ? variables.flatMap((variable) => [variable, variable + FILE_SUFFIX]) : variables;
}

const ENGINE_SECRETS: ReadonlySet<string> = new Set(["SOCKS_PROXY"]);

/** A setting as it was given: `from` is the variable, and `shown` what messages print as its value. */
type Given = { from: string; value: string; shown: string };

export function settingsFrom(env: Environment, secrets: ReadonlySet<string> = ENGINE_SECRETS) {
  const problems: string[] = [];
  const known = new Map<string, Given | undefined>();

  /** Read once: a problem is reported once, and a file may be a pipe. */
  function given(name: string): Given | undefined {
    if (!known.has(name)) known.set(name, readGiven(name));
    return known.get(name);
  }

  function readGiven(name: string): Given | undefined {
    const found = variablesOf(name, secrets.has(name)).flatMap((from) => {
      // An empty variable counts as unset: that is what a line `NAME=` in an env file means.
      const value = env[from]?.trim();
      return !value || isServiceLink(from, value) ? [] : [{ from, value, shown: value }];
    });
    const [first, ...others] = found;
    if (first === undefined) return undefined;
    const isFile = ({ from }: Given) => secrets.has(name) && from.endsWith(FILE_SUFFIX);
    if (others.some((other) => other.value !== first.value || isFile(other) !== isFile(first))) {
      problems.push(`${found.map(({ from }) => from).join(" and ")} are both set: set one of them`);
      return undefined;
    }
    return isFile(first) ? fromFile(first) : first;
  }

  function fromFile({ from, value: path }: Given): Given | undefined {
    try {
      const value = readFileSync(path, "utf8").trim();
      if (value !== "") return { from, value, shown: path };
      report(from, path, "the file is empty");
    } catch (error) {
      report(from, path, cannotBeRead(error));
    }
    return undefined;
  }

  const text = (name: string) => given(name)?.value;
  const report = (name: string, value: string, why: string) => {
    problems.push(`${name}=${withoutPassword(value)}: ${why}`);
  };
  /** The content of a file is never printed, only its path. */
  const reportExpected = (name: string, wanted: string, shown?: string) => {
    const { from, value, shown: source } = given(name)!;
    report(from, value === source ? (shown ?? value) : source, `expected ${wanted}`);
  };

  return {
    text,
    integer(name: string, { fallback, min, max }: { fallback: number; min: number; max: number }): number {
      const value = text(name);
      if (value === undefined) return fallback;
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= min && number <= max) return number;
      reportExpected(name, `a whole number from ${min} to ${max}`);
      return fallback;
    },
    seconds(name: string, { fallback, max, unit = "seconds" }: Duration): number {
      const value = text(name);
      if (value === undefined) return fallback;
      const number = /^\d{1,9}(\.\d{1,3})?$/.test(value) ? Number(value) : Number.NaN;
      if (number > 0 && number <= max) return number;
      reportExpected(name, `${unit}, more than 0 and at most ${max}`);
      return fallback;
    },
    oneOf<const T extends string>(
      name: string,
      { fallback, choices }: { fallback: T; choices: readonly T[] },
    ): T {
      const value = text(name);
      if (value === undefined) return fallback;
      const choice = choices.find((candidate) => candidate === value);
      if (choice === undefined) reportExpected(name, `one of ${choices.join(", ")}`);
      return choice ?? fallback;
    },
    /** Text that satisfies `isGood`. */
    matching(name: string, wanted: string, isGood: (value: string) => boolean): string | undefined {
      const value = text(name);
      if (value === undefined || isGood(value)) return value;
      reportExpected(name, wanted);
      return undefined;
    },
    /** Like `matching`, but the value is never printed. */
    secret(name: string, wanted: string, isGood: (value: string) => boolean): string | undefined {
      const value = text(name);
      if (value === undefined || isGood(value)) return value;
      reportExpected(name, wanted, "***");
      return undefined;
    },
    /** A comma-separated list, every item of which must satisfy `isGood`. */
    list(name: string, wanted: string, isGood: (item: string) => boolean): string[] {
      const items = (text(name) ?? "").split(",").map((item) => item.trim());
      const given = items.filter((item) => item !== "");
      for (const item of given) if (!isGood(item)) reportExpected(name, wanted, item);
      return given.filter(isGood);
    },
    /** Path of a readable file whose content has no problems. */
    file(name: string, problemsOf: (path: string) => string[]): string | undefined {
      const path = text(name);
      if (path === undefined) return undefined;
      try {
        for (const problem of problemsOf(path)) report(given(name)!.from, path, problem);
      } catch (error) {
        report(given(name)!.from, path, cannotBeRead(error));
      }
      return path;
    },
    reportProblems(): void {
      if (problems.length > 0) throw new BadSettings(problems);
    },
  };
}

function cannotBeRead(error: unknown): string {
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}

/** Kubernetes gives MAILVET_PORT=tcp://… to the containers beside a service that is named mailvet. */
export function isServiceLink(variable: string, value: string): boolean {
  return variable === `${ALIAS_PREFIX}PORT` && /^(?:tcp|udp|sctp):\/\//.test(value);
}

/** Problems are printed and logged, so `user:password@` and `?password=` are masked. */
function withoutPassword(text: string): string {
  const value = text.replace(/([?&][^=&]*(?:password|token|secret|key)=)[^&]*/gi, "$1***");
  const scheme = value.indexOf("://");
  const start = scheme < 0 ? 0 : scheme + "://".length;
  const end = value.lastIndexOf("@");
  const isSecret = end > start && (scheme >= 0 || value.slice(start, end).includes(":"));
  return isSecret ? `${value.slice(0, start)}***${value.slice(end)}` : value;
}

type Duration = { fallback: number; max: number; unit?: string };

export type SettingsReader = ReturnType<typeof settingsFrom>;

export type EngineSettings = {
  /** Name servers as ip[:port]; empty means those of the operating system. */
  dnsServers: string[];
  /** CIDR ranges that may be connected to although they are not public. */
  egressAllow: string[];
  smtpPort: number;
  /** The egress identities of this process. */
  egress: EgressIdentity[];
  /** All of them, also those that only another process uses. */
  egressOfDeployment: EgressIdentity[];
  /** What identities name as their owner. */
  processName: string;
  probeTimeoutMs: number;
  /** Concurrent connections to a mail host without a provider profile. */
  connectionsPerHost: number;
  /** Threads for DNS and SMTP. One means the calling thread itself, unless it has other work. */
  threads: number;
  /** Directory of the refreshed reference lists. */
  listsDirectory: string | undefined;
  /** The operator's own allow/deny file. */
  localListsFile: string | undefined;
  /** Whether the local part influences the score where SMTP is inconclusive. */
  aiEnhancement: boolean;
  /** Special-use names that are treated as ordinary names. */
  exemptSpecialUse: string[];
};

export function readEngineSettings(read: SettingsReader): EngineSettings {
  const egressAllow = read.list("EGRESS_ALLOW", "a range such as 127.0.0.0/8 or fd00::/8", (item) =>
    isParsedBy(parseIpRange, item),
  );
  return {
    dnsServers: read.list(
      "DNS_SERVERS",
      "an IP address with or without a port, such as 127.0.0.1:5353",
      (item) => isParsedBy(parseNameServer, item),
    ),
    egressAllow,
    smtpPort: read.integer("SMTP_PORT", { fallback: 25, min: 1, max: 65_535 }),
    ...readEgress(read),
    probeTimeoutMs: read.seconds("PROBE_TIMEOUT_SECONDS", { fallback: 30, max: 600 }) * 1000,
    connectionsPerHost: read.integer("CONNECTIONS_PER_HOST", { fallback: 1, min: 1, max: 100 }),
    threads: read.integer("ENGINE_THREADS", { fallback: defaultThreads(), min: 1, max: MAX_THREADS }),
    listsDirectory: read.text("LISTS_DIR"),
    localListsFile: read.file("LOCAL_LISTS", localListProblems),
    aiEnhancement: read.oneOf("AI_ENHANCEMENT", { fallback: "on", choices: ["on", "off"] }) === "on",
    // Private ranges are opened for testing only, and .test is reserved for that (RFC 6761).
    exemptSpecialUse: egressAllow.length > 0 ? ["test"] : [],
  };
}

const MAX_THREADS = 64;
/** More are of use only where the calling thread does little else, so that is left to the operator. */
const MAX_DEFAULT_THREADS = 16;

/** One core is left to the calling thread. */
function defaultThreads(): number {
  return Math.min(MAX_DEFAULT_THREADS, Math.max(1, availableParallelism() - 1));
}

/** Those of EGRESS_FILE, or the one that the other settings describe. */
function readEgress(
  read: SettingsReader,
): Pick<EngineSettings, "egress" | "egressOfDeployment" | "processName"> {
  const processName =
    read.matching("PROCESS_NAME", "letters, digits, dots, hyphens and underscores", isProcessName) ??
    hostname();
  const single = readSingleIdentity(read);
  let identities: EgressIdentity[] = [];
  const path = read.file("EGRESS_FILE", (file) => {
    const { identities: found, problems } = readIdentityFile(file);
    identities = found;
    return problems.length > 0 ? problems : ownershipProblems(found, processName);
  });
  if (path === undefined) return { egress: [single], egressOfDeployment: [single], processName };
  for (const name of ["EHLO_NAME", "MAIL_FROM", "SOURCE_ADDRESS", "SOCKS_PROXY"])
    read.matching(name, "it to be in EGRESS_FILE instead", () => false);
  const egress = identities.filter((identity) => isUsedBy(identity, processName));
  return { egress, egressOfDeployment: identities, processName };
}

const isProcessName = (value: string) => /^[\w.-]{1,255}$/.test(value);

const isUsedBy = ({ owner }: EgressIdentity, processName: string) =>
  owner === undefined || owner === processName;

/** Tasks are not assigned by provider, so every process must be able to reach all of them. */
function ownershipProblems(identities: readonly EgressIdentity[], processName: string): string[] {
  const used = identities.filter((identity) => isUsedBy(identity, processName));
  const who = `PROCESS_NAME is ${processName}`;
  if (used.length === 0) return [`every identity has another owner, so this process has none (${who})`];
  if (used.every(({ providers }) => providers !== undefined))
    return [`expected an identity without "providers" for all others, also for this process (${who})`];
  return [];
}

/** Without EHLO_NAME the machine's own name is used, which is right on a mail host only. */
function readSingleIdentity(read: SettingsReader): EgressIdentity {
  const ehloName =
    read.matching("EHLO_NAME", "a host name such as probe.example.com", isEhloName) ?? hostname();
  const mailFrom = read.matching("MAIL_FROM", "an address such as probe@example.com", isSender);
  const sourceAddress = read.matching(
    "SOURCE_ADDRESS",
    "an IP address of this machine",
    (value) => isIP(value) !== 0,
  );
  const proxy = read.matching(
    "SOCKS_PROXY",
    "socks5://[user:password@]host:port, with special characters as %40",
    (url) => proxyFrom(url) !== undefined,
  );
  return {
    name: DEFAULT_IDENTITY,
    share: 1,
    ehloName,
    mailFrom: mailFrom ?? `postmaster@${ehloName}`,
    ...(sourceAddress === undefined ? {} : { sourceAddress }),
    ...(proxy === undefined ? {} : { proxy: proxyFrom(proxy)! }),
  };
}

/** Enough to recognise that the file is something else altogether. */
const MAX_REPORTED_LINES = 100;

function localListProblems(path: string): string[] {
  const { problems } = readLocalLists(path);
  const shown = problems
    .slice(0, MAX_REPORTED_LINES)
    .map(({ line, text, reason }) => `line ${line}: ${reason}: ${text}`);
  const hidden = problems.length - shown.length;
  return hidden > 0 ? [...shown, `and ${hidden} more lines`] : shown;
}

/** `parse` throws when the text is not valid. */
function isParsedBy(parse: (text: string) => unknown, item: string): boolean {
  try {
    parse(item);
    return true;
  } catch {
    return false;
  }
}
