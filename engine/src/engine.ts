/**
 * The engine as a library: one object that checks addresses and returns the documents of the API.
 *
 * `createEngine` takes options; `engineFrom` takes settings that were read from the environment.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { DomainReport, ValidationResult } from "@mailvet/contract";
import { LEVELS, type Level } from "@mailvet/contract/words";
import { mapByDomain } from "./base/map-by-domain.ts";
import { domainReportOf, domainSyntaxError, postmasterOf } from "./domain-report.ts";
import { type IdentityEntry, identitiesFrom } from "./egress/identity-file.ts";
import type { Evidence } from "./evidence.ts";
import { reportOf } from "./report.ts";
import { BadSettings, type EngineSettings, readEngineSettings, settingsFrom } from "./settings.ts";
import { type ExplainedReply, explainReply, type ReplyContext } from "./smtp/explain-reply.ts";
import { timeoutEvidence } from "./timeout-evidence.ts";
import { CONCURRENCY, type Verifier, verifierFrom, WINDOW } from "./verifier.ts";

export type EngineOptions = {
  /** Name in EHLO: the public host name of this machine, with a PTR record. */
  ehloName?: string;
  /** Envelope sender. Default: postmaster at the EHLO name. */
  mailFrom?: string;
  /** Several source addresses or proxies, with the fields of EGRESS_FILE; instead of `ehloName` and `mailFrom`. */
  egress?: readonly IdentityEntry[];
  /** Name servers as ip[:port]. Default: those of the operating system. */
  dnsServers?: readonly string[];
  /** Where refreshed disposable lists are, and a file of domains to allow or deny. */
  lists?: { directory?: string; localFile?: string };
  /** Default: 25. */
  smtpPort?: number;
  /** Ranges that may be connected to although they are not public, such as 127.0.0.0/8. */
  egressAllow?: readonly string[];
  /** Time for the probe of one mailbox. Default: 30,000. */
  probeTimeoutMs?: number;
  /** Concurrent connections to one mail host. Default: 1, more for large providers. */
  connectionsPerHost?: number;
  /** Threads for DNS and SMTP. Default: one less than the machine has cores, at most 16. */
  threads?: number;
  /** Whether the name of a mailbox counts where its server cannot tell. Default: true. */
  aiEnhancement?: boolean;
  /** Called with the stack trace when a check fails by a defect; its result is `unknown` with `internal_error`. */
  onFailure?: (trace: string) => void;
};

export type CheckOptions = {
  /** Default: "smtp". Below it no mail server is contacted. */
  level?: Level;
  /** A check that takes longer is `unknown` with `smtp_timeout` or `dns_error`; it goes on, and a later check of the address may use it. */
  timeoutMs?: number;
  /** Rejects with the signal's reason. */
  signal?: AbortSignal;
};

export type Engine = AsyncDisposable & {
  check(email: string, options?: CheckOptions): Promise<ValidationResult>;
  /** Results in input order. A domain's addresses share sessions; about 20,000 addresses are read ahead. */
  checkMany(
    emails: AsyncIterable<string> | Iterable<string>,
    options?: Pick<CheckOptions, "level">,
  ): AsyncGenerator<ValidationResult>;
  /** Throws InvalidDomain. */
  checkDomain(domain: string, options?: Pick<CheckOptions, "signal">): Promise<DomainReport>;
  explainReply(reply: string, context?: ReplyContext): ExplainedReply;
  /** Checks under way end as unknown; further ones are refused with an error. */
  close(): Promise<void>;
};

/** Not a domain that can have public mail. */
export class InvalidDomain extends Error {
  override readonly name = "InvalidDomain";
}

/** Throws BadSettings, naming every invalid option. */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  return { ...engineFrom(settingsOf(options), options.onFailure), explainReply };
}

/** Without `explainReply`, whose tables take long to load. */
export function engineFrom(
  settings: EngineSettings,
  onFailure: EngineOptions["onFailure"] = () => {},
): Omit<Engine, "explainReply"> {
  const verifier = verifierFrom(settings);
  const resultOf = (evidence: Evidence, startedMs: number) => {
    if (evidence.failure !== undefined) onFailure(evidence.failure);
    return freshResultOf(evidence, performance.now() - startedMs);
  };
  let isClosed = false;
  const close = () => {
    isClosed = true;
    return verifier.close();
  };
  const requireOpen = () => {
    if (isClosed) throw new Error("the engine is closed; create another one for further checks");
  };
  return {
    async check(email, { level = "smtp", timeoutMs, signal } = {}) {
      requireOpen();
      requireLevel(level);
      const startedMs = performance.now();
      return resultOf(await evidenceWithin(verifier, email, { level, timeoutMs, signal }), startedMs);
    },
    checkMany(emails, { level = "smtp" } = {}) {
      requireOpen();
      requireLevel(level);
      const options = { isOrdered: true, window: WINDOW, ...CONCURRENCY[level] };
      return mapByDomain(emails, String, options, async (email) => {
        const startedMs = performance.now();
        return resultOf(await verifier.verify(email, level), startedMs);
      });
    },
    async checkDomain(domain, { signal } = {}) {
      requireOpen();
      const startedMs = performance.now();
      const evidence = await evidenceWithin(verifier, postmasterOf(domain), { level: "smtp", signal });
      const complaint = domainSyntaxError(evidence);
      if (complaint !== undefined) throw new InvalidDomain(complaint);
      if (evidence.failure !== undefined) throw new Error(evidence.failure);
      const responseTimeMs = performance.now() - startedMs;
      return domainReportOf(evidence, { requestId: randomUUID(), planTier: "local", responseTimeMs });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** For callers without types: an unknown level would stop before the mail server, or never end. */
function requireLevel(level: Level): void {
  if (!LEVELS.includes(level)) throw new TypeError(`level must be syntax, dns or smtp, not ${level}`);
}

/** Evidence that was just gathered, in the contract's shape. */
export function freshResultOf(evidence: Evidence, responseTimeMs: number): ValidationResult {
  return reportOf(evidence, {
    requestId: randomUUID(),
    planTier: "local",
    responseTimeMs,
    checkedAtMs: Date.now(),
    cached: false,
  });
}

/** When a check that has not ended in time may be asked for again. */
const RETRY_AFTER_TIMEOUT_SECONDS = 60;

type Within = { level: Level; timeoutMs?: number | undefined; signal?: AbortSignal | undefined };

async function evidenceWithin(
  verifier: Verifier,
  email: string,
  { level, timeoutMs, signal }: Within,
): Promise<Evidence> {
  signal?.throwIfAborted();
  const check = verifier.begin(email, level, { isUrgent: true });
  if (timeoutMs === undefined && !signal) return check.done;
  const ended = new AbortController();
  const late = delay(timeoutMs ?? LONGEST_TIMER_MS, undefined, {
    signal: signal ? AbortSignal.any([signal, ended.signal]) : ended.signal,
  }).then(() => timeoutEvidence(check.evidence, RETRY_AFTER_TIMEOUT_SECONDS, level));
  try {
    return await Promise.race([check.done, late]);
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    late.catch(() => {});
    ended.abort();
  }
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Options by the setting that has their rules. */
const SETTINGS: Readonly<Record<string, (options: EngineOptions) => unknown>> = {
  EHLO_NAME: ({ ehloName }) => ehloName,
  MAIL_FROM: ({ mailFrom }) => mailFrom,
  DNS_SERVERS: ({ dnsServers }) => dnsServers?.join(","),
  LISTS_DIR: ({ lists }) => lists?.directory,
  LOCAL_LISTS: ({ lists }) => lists?.localFile,
  SMTP_PORT: ({ smtpPort }) => smtpPort,
  EGRESS_ALLOW: ({ egressAllow }) => egressAllow?.join(","),
  PROBE_TIMEOUT_SECONDS: ({ probeTimeoutMs }) =>
    probeTimeoutMs === undefined ? undefined : probeTimeoutMs / 1000,
  CONNECTIONS_PER_HOST: ({ connectionsPerHost }) => connectionsPerHost,
  ENGINE_THREADS: ({ threads }) => threads,
  AI_ENHANCEMENT: ({ aiEnhancement }) => (aiEnhancement === false ? "off" : undefined),
};

const textOf = (value: unknown) => (value === undefined ? undefined : String(value));

function settingsOf(options: EngineOptions): EngineSettings {
  const given = Object.entries(SETTINGS).map(([name, chosenIn]) => [name, textOf(chosenIn(options))]);
  const read = settingsFrom(Object.fromEntries(given));
  const settings = readEngineSettings(read);
  read.reportProblems();
  if (!options.egress) return settings;
  if (options.ehloName !== undefined || options.mailFrom !== undefined)
    throw new BadSettings(["expected ehloName and mailFrom to be in egress instead"]);
  const { identities, problems } = identitiesFrom(options.egress);
  if (problems.length > 0) throw new BadSettings(problems.map((problem) => `egress: ${problem}`));
  return { ...settings, egress: identities, egressOfDeployment: identities };
}
