/**
 * The walk of one address through the engine: inspect it, find its mail route, ask its mail server.
 * Every stage adds to the evidence; as soon as a stage has settled the verdict, the rest is not asked.
 */
import type { Level } from "@mailvet/contract/words";
import { createResolver, type Resolver } from "./dns/resolver.ts";
import { createDomainFacts, type DomainFacts, type DomainFactsDeps } from "./domain-facts.ts";
import { createEgressGuard } from "./egress/guard.ts";
import type { Evidence } from "./evidence.ts";
import { createInspection, type InspectionDeps } from "./inspection.ts";
import { asTheyCome } from "./map-concurrent.ts";
import { type Adjudication, isAmbiguous } from "./plausibility/adjudication.ts";
import { loadNameModel } from "./plausibility/name-model.ts";
import type { PatternTally } from "./plausibility/naming-pattern.ts";
import { hasNamingHabit, hasReadableName } from "./plausibility/plausibility.ts";
import { type Disposables, loadDisposables } from "./reference/disposable.ts";
import { RequestPriority } from "./request-priority.ts";
import type { EngineSettings } from "./settings.ts";
import { createConnect } from "./smtp/connect.ts";
import type { HostLimiterFor } from "./smtp/host-limiter.ts";
import { createPlanner, type ProbePlanner } from "./smtp/probe-planner.ts";
import { decide, isUnproven } from "./verdict.ts";

export type VerifierDeps = InspectionDeps &
  DomainFactsDeps & { planner: ProbePlanner; knowledge?: DeploymentKnowledge };

/** What a deployment knows and an engine by itself does not. */
export type DeploymentKnowledge = {
  /** How proven mailboxes at this domain are named. Asked where the mail servers leave it open, never for free mail. */
  namingAt?: (domain: string) => Promise<PatternTally | undefined>;
  /** A second opinion where the first is ambiguous; undefined when there is none. */
  adjudicate?: (evidence: Evidence) => Promise<Adjudication | undefined>;
};

/** How a check is to be made. `isUrgent` when somebody waits for it in person: lists wait for it too. */
export type CheckPriority = { isUrgent?: boolean };

/** A check under way. It goes on to its end whether or not anybody still waits for it. */
export type Check = {
  /** What is known so far; it grows until `done`, which hands out this very object. */
  readonly evidence: Evidence;
  /** Never rejects: a bug of ours is an `internal_error`, told in the evidence. */
  readonly done: Promise<Evidence>;
  /** From now on somebody waits for it in person. Says nothing new to a check that is urgent already, or done. */
  hurry(): void;
};

export type Verifier = {
  /** Takes an address, or its inspection (the evidence of a check of level "syntax"), which is then not repeated. */
  begin(subject: string | Evidence, level: Level, haste?: CheckPriority): Check;
  /** What `begin` comes to in the end. */
  verify(email: string, level: Level, haste?: CheckPriority): Promise<Evidence>;
  /** Results as they come, not in order. At most `width` addresses are under way, so memory is bounded. */
  verifyMany(
    emails: AsyncIterable<string> | Iterable<string>,
    level: Level,
    width?: number,
  ): AsyncGenerator<Evidence>;
  /** The list of disposable domains in use. */
  lists: Pick<Disposables, "origin" | "size" | "reload">;
  close(): Promise<void>;
};

/** Wide enough that the addresses of many domains meet at their mail hosts. */
const MANY_UNDER_WAY = 3000;

export function createVerifier(deps: VerifierDeps): Verifier {
  const inspect = createInspection(deps);
  const facts = createDomainFacts(deps);
  const walk = async (
    evidence: Evidence,
    level: Level,
    urgency: RequestPriority,
    isInspected: boolean,
  ): Promise<void> => {
    if (!isInspected) Object.assign(evidence, inspect(evidence.email));
    if (level === "syntax" || isSettledByText(evidence)) return;
    await askNames(facts, evidence);
    if (evidence.route?.kind === "domain_not_found") return; // and so it has no policies either
    await Promise.all([
      level === "smtp"
        ? askMailServer(deps, evidence, urgency).then(() => askDeployment(deps, evidence))
        : undefined,
      askForPolicies(facts, evidence),
    ]);
  };
  const begin = (subject: string | Evidence, level: Level, { isUrgent }: CheckPriority = {}): Check => {
    const evidence: Evidence = typeof subject === "string" ? { email: subject } : { ...subject };
    const urgency = new RequestPriority(isUrgent);
    const isInspected = typeof subject !== "string";
    const done = walk(evidence, level, urgency, isInspected)
      .catch((error: unknown) => {
        // A bug of ours costs this address its verdict, and no other address anything.
        evidence.failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
      })
      .then(() => {
        urgency.end();
        return evidence;
      });
    return { evidence, done, hurry: () => urgency.raise() };
  };
  const verify: Verifier["verify"] = (email, level, haste) => begin(email, level, haste).done;
  return {
    begin,
    verify,
    verifyMany: (emails, level, width = MANY_UNDER_WAY) =>
      asTheyCome(emails, width, (email) => verify(email, level)),
    lists: deps.disposables,
    async close() {
      await deps.planner.close();
      deps.resolver.close();
    },
  };
}

/** What several processes that work together may bring, instead of each having its own or none. */
export type SharedParts = { paceFor?: HostLimiterFor; knowledge?: DeploymentKnowledge };

/** A verifier with the real parts, as the settings describe them. */
export function verifierFrom(settings: EngineSettings, { knowledge, ...shared }: SharedParts = {}): Verifier {
  const { egress, smtpPort: port, probeTimeoutMs, connectionsPerHost } = settings;
  const guard = createEgressGuard({ allow: settings.egressAllow });
  return createVerifier({
    disposables: loadDisposables({ directory: settings.listsDirectory, localFile: settings.localListsFile }),
    exemptSpecialUse: settings.exemptSpecialUse,
    ...(settings.aiEnhancement && { nameModel: loadNameModel() }),
    ...(knowledge && { knowledge }),
    resolver: resolverFrom(settings),
    guard,
    planner: createPlanner({
      dial: createConnect({ guard, port, egress }),
      egress,
      probeTimeoutMs,
      connectionsPerHost,
      ...shared,
    }),
  });
}

/** Asks the name servers that the settings name, or else the system's. */
export function resolverFrom({ dnsServers }: Pick<EngineSettings, "dnsServers">): Resolver {
  return createResolver(dnsServers.length > 0 ? { servers: dnsServers } : {});
}

/** Whether the text alone has decided, so that asking anyone would only disturb. */
function isSettledByText({ address, specialUse, providerComplaint }: Evidence): boolean {
  return address === undefined || specialUse !== undefined || providerComplaint !== undefined;
}

async function askNames(facts: DomainFacts, evidence: Evidence): Promise<void> {
  const { route, provider, isDisposableRoute, isRelayRoute } = await facts.routeOf(evidence.address!.domain);
  evidence.route = route;
  evidence.provider = provider;
  if (isDisposableRoute) evidence.disposable ??= "mail_host";
  if (isRelayRoute) evidence.isPrivacyRelay = true;
}

async function askMailServer(
  { planner }: VerifierDeps,
  evidence: Evidence,
  urgency: RequestPriority,
): Promise<void> {
  const { address, route, provider = "" } = evidence;
  if (!address || route?.kind !== "mail_hosts") return;
  const { mailbox, decoy } = await planner.probe({ address, route, provider, urgency });
  evidence.mailbox = mailbox;
  if (decoy) evidence.decoy = await decoy;
}

/** Long enough for a database that is busy, and for a language model; what takes longer is done without. */
const NAMING_WITHIN_MS = 1000;
const ADJUDICATION_WITHIN_MS = 5000;

/**
 * Where the mail servers left it open, others may know more; and before a name is called random, how its neighbours are
 * named is worth a look. They help, and can neither fail a check nor hold it up for long.
 */
async function askDeployment({ knowledge }: VerifierDeps, evidence: Evidence): Promise<void> {
  if (!knowledge || evidence.route?.kind !== "mail_hosts" || !hasReadableName(evidence)) return;
  const verdict = decide(evidence);
  if (!isUnproven(verdict) && verdict.subStatus !== "low_quality") return;
  const { namingAt, adjudicate } = knowledge;
  if (namingAt && hasNamingHabit(evidence)) {
    const naming = await inTime(NAMING_WITHIN_MS, () => namingAt(evidence.address!.domain));
    if (naming) evidence.naming = naming;
  }
  if (adjudicate && isUnproven(verdict) && isAmbiguous(evidence)) {
    const adjudication = await inTime(ADJUDICATION_WITHIN_MS, () => adjudicate(evidence));
    if (adjudication) evidence.adjudication = adjudication;
  }
}

/** What was found by then; undefined when nothing was, or when finding it failed. */
function inTime<T>(withinMs: number, find: () => Promise<T | undefined>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const end = (found?: T) => {
      clearTimeout(timer);
      resolve(found);
    };
    const timer = setTimeout(end, withinMs);
    Promise.resolve()
      .then(find)
      .then(end, () => end());
  });
}

async function askForPolicies(facts: DomainFacts, evidence: Evidence): Promise<void> {
  evidence.policies = await facts.policiesOf(evidence.address!.domain);
}
