/**
 * The planner: everybody's questions, asked with as few conversations as possible.
 *
 * Questions are grouped by mail exchange, so that the addresses of a list, and of everybody else at that
 * moment, share sessions. A made-up name is asked for once per domain; a domain known to take anyone, and a
 * host known to be dead, cost nothing. The single check walks the same way with one question.
 */
import { LRUCache } from "lru-cache";
import type { Address } from "../address/address.ts";
import { deferred } from "../deferred.ts";
import type { DecoyFinding, MailboxFinding } from "../evidence.ts";
import { roleOf } from "../reference/roles.ts";
import type { RequestPriority } from "../request-priority.ts";
import { AcceptingDomains } from "./accepting-domains.ts";
import { type AskDecoy, createCatchAllCache, type DecoyReply, isRefusalOfDecoy } from "./catch-all.ts";
import type { Connect, Egress } from "./connect.ts";
import { isRefusedLikeDecoy, isUnknownUserCode } from "./decoy-comparison.ts";
import { type DecoyStyle, decoyName } from "./decoy-name.ts";
import { EgressHealth } from "./egress-health.ts";
import { type HostLimiter, type HostLimiterFor, LocalHostLimiter } from "./host-limiter.ts";
import { createHostLimits } from "./host-limits.ts";
import { HostPool, type HostPoolDeps, type MailHosts } from "./host-pool.ts";
import { afterDeferral } from "./mailbox-finding.ts";
import type { ProbeRequest } from "./probe-queue.ts";
import { type ProviderProfile, profileOf } from "./provider-profile.ts";

export type PlannerOptions = {
  dial: Connect;
  egress: Egress;
  probeTimeoutMs: number;
  /** Connections at once to a host without a profile of its own. */
  connectionsPerHost?: number;
  /** Connections at once in all. */
  maxSessions?: number;
  /** Who keeps the pace at each place. Everybody by himself, unless said otherwise. */
  limiterFor?: HostLimiterFor;
};

export type ProbeInput = {
  address: Address;
  route: MailHosts;
  provider: string;
  /** When somebody waits for the answer in person, it goes before the questions of lists. */
  priority?: RequestPriority;
};
/** What was said of the mailbox, and of a made-up one as soon as that is known. */
export type ProbeResult = { mailbox: MailboxFinding; decoy?: Promise<DecoyFinding> };

export type ProbePlanner = {
  probe(inquiry: ProbeInput): Promise<ProbeResult>;
  /** Says goodbye everywhere, within a second. What is still waiting is answered as timed out. */
  close(): Promise<void>;
};

const MAX_PACES = 20_000;
/** Sessions at once, to all hosts together. */
const MAX_SESSIONS = 400;

export function createPlanner(options: PlannerOptions): ProbePlanner {
  const health = new EgressHealth();
  const memory = createHostLimits();
  const catchAll = createCatchAllCache();
  const witnesses = new AcceptingDomains();
  const exchanges = new Map<string, HostPool>();
  const door = new LocalHostLimiter({ ...profileOf(""), connections: options.maxSessions ?? MAX_SESSIONS });
  const paces = new LRUCache<string, HostLimiter>({ max: MAX_PACES });
  const { limiterFor = (_key, profile) => new LocalHostLimiter(profile) } = options;
  let isClosed = false;

  /** Giants count connections to all their hosts together, everybody else to each host. */
  const paceAt = (profile: ProviderProfile, provider: string) => (host: string) => {
    const key = profile.isShared ? `provider ${provider}` : host;
    const pace = paces.get(key) ?? limiterFor(key, profile);
    paces.set(key, pace);
    return pace;
  };

  const exchangeFor = ({ route, provider }: ProbeInput, profile: ProviderProfile): HostPool => {
    const key = `${route.hosts.map(({ name }) => name).join(" ")}${route.isPartial ? " …" : ""}`;
    const known = exchanges.get(key);
    if (known) return known;
    const deps: HostPoolDeps = { ...options, memory, health, door, paceOf: paceAt(profile, provider) };
    const exchange = new HostPool(deps, route, profile);
    exchange.onIdle = () => exchanges.delete(key);
    exchanges.set(key, exchange);
    if (isClosed) void exchange.close(); // whoever still asks is told at once
    return exchange;
  };

  /** The first host put us off and another one accepted, which may be a relay that takes anyone: it is asked itself. */
  const acceptedByNextHost = async (
    mailbox: MailboxFinding,
    deferral: MailboxFinding,
    inquiry: ProbeInput,
    profile: ProviderProfile,
  ): Promise<ProbeResult> => {
    const host = mailbox.mxHost;
    const askDecoy: AskDecoy = () => askForDecoy(exchangeFor(inquiry, profile), inquiry, profile, host);
    const decoy = await catchAll.finding(`${inquiry.address.domain} at ${host}`, askDecoy);
    return decoy.answer === "not_found" ? { mailbox, decoy: Promise.resolve(decoy) } : { mailbox: deferral };
  };

  /** A refusal that gave no reason. Where made-up names are refused alike and other names are not, it is one of them. */
  const besideDecoy = async (
    mailbox: MailboxFinding,
    { address: { local, domain }, priority }: ProbeInput,
    askDecoy: AskDecoy,
  ): Promise<MailboxFinding> => {
    const decoy = await catchAll.finding(domain, askDecoy);
    const names = [local, decoyName(domain, Date.now()), decoyName(domain, Date.now(), "random")];
    if (!isRefusedLikeDecoy(mailbox, decoy, names)) return mailbox;
    const isProven =
      isUnknownUserCode(mailbox) ||
      (priority?.isUrgent ? witnesses.hasAccepted(domain) : await witnesses.someoneAccepted(domain));
    return isProven ? { ...mailbox, answer: "not_found", isLikeDecoy: true } : mailbox;
  };

  return {
    async probe(inquiry) {
      const seconds = health.blockedForSeconds;
      if (seconds !== undefined) return { mailbox: { answer: "egress_blocked", retryAfterSeconds: seconds } };

      const { address } = inquiry;
      const profile = profileOf(inquiry.provider, options.connectionsPerHost);
      const known = catchAll.known(address.domain, profile.acceptancesPerDecoy);
      if (known?.answer === "accepted") {
        return { mailbox: inferredAcceptance(inquiry), decoy: Promise.resolve(known) };
      }
      // Looked up each time: an exchange that has run idle in between is no longer the one that others use.
      const exchange = () => exchangeFor(inquiry, profile);
      const askDecoy: AskDecoy = () => askForDecoy(exchange(), inquiry, profile);
      if (!known) catchAll.prepare(address.domain, askDecoy);
      const { domain, local } = address;
      witnesses.begin(domain);
      const target = askForTarget(exchange(), inquiry);
      inquiry.priority?.onRaise(() => {
        target.hurry();
        catchAll.hurry(address.domain);
      });
      const mailbox = await target.finding.catch((error: unknown) => {
        witnesses.end(domain, false);
        throw error;
      });
      // postmaster@ and its kin are let past what others are not.
      witnesses.end(
        domain,
        mailbox.answer === "accepted" && !mailbox.isInferred && roleOf(local) === undefined,
      );
      if (mailbox.isUnexplained) return { mailbox: await besideDecoy(mailbox, inquiry, askDecoy) };
      if (mailbox.answer !== "accepted") return { mailbox };
      if (target.deferral) return acceptedByNextHost(mailbox, target.deferral, inquiry, profile);
      return { mailbox, decoy: known ? Promise.resolve(known) : catchAll.finding(address.domain, askDecoy) };
    },
    async close() {
      isClosed = true;
      await Promise.all([...exchanges.values()].map((exchange) => exchange.close()));
    },
  };
}

/**
 * Asks for a made-up name that looks like a person's; where it is accepted, for a random one as well. Then nobody else
 * at the domain needs to be asked for, whatever becomes of the second: it says only how sure we are.
 */
function askForDecoy(
  exchange: HostPool,
  inquiry: ProbeInput,
  profile: ProviderProfile,
  onlyHost?: string,
): ReturnType<AskDecoy> {
  const { domain } = inquiry.address;
  const others = inquiry.route.hosts.filter(({ name }) => onlyHost !== undefined && name !== onlyHost);
  const { promise: finding, resolve } = deferred<DecoyReply | undefined>();
  const ask = (style: DecoyStyle, heard: (found: MailboxFinding | undefined) => void): ProbeRequest => {
    const pending = pendingFor({
      recipient: `${decoyName(domain, Date.now(), style)}@${domain}`,
      domain,
      smtpUtf8: false,
      isDecoy: true,
      isUrgent: inquiry.priority?.isUrgent === true,
      settle: heard,
      drop: () => heard(undefined),
      fail: () => heard(undefined),
    });
    for (const { name } of others) pending.deniedBy.set(name, "deferred");
    exchange.add(pending);
    return pending;
  };
  let asking = ask("name", (named) => {
    if (named?.answer !== "accepted") return resolve(named);
    if (!profile.isNeverCatchAll && onlyHost === undefined)
      exchange.settleTargets(domain, inferredAcceptance(inquiry));
    asking = ask("random", (random) => resolve(afterBoth(named, random, profile)));
    want();
  });
  const want = () => {
    asking.isWanted = true;
    exchange.notice();
  };
  return { finding, want, hurry: () => exchange.hurry(asking) };
}

const BOTH_ACCEPTED = 0.96;
const ONLY_NAMES_ACCEPTED = 0.85;

/** The made-up person was accepted. What that proves, in the light of what was said of the random name. */
function afterBoth(
  named: MailboxFinding,
  random: MailboxFinding | undefined,
  { isNeverCatchAll }: ProviderProfile,
): DecoyReply | undefined {
  if (random?.answer === "accepted") {
    // A giant that says yes to everyone has stopped being honest with our address; that proves nothing of anyone.
    return isNeverCatchAll ? { ...named, answer: "probe_blocked" } : { ...named, confidence: BOTH_ACCEPTED };
  }
  if (isNeverCatchAll) return random; // with so many mailboxes, the name may be somebody's
  return random && isRefusalOfDecoy(random) ? { ...named, confidence: ONLY_NAMES_ACCEPTED } : named;
}

function askForTarget(
  exchange: HostPool,
  { address, priority }: ProbeInput,
): { finding: Promise<MailboxFinding>; readonly deferral: MailboxFinding | undefined; hurry: () => void } {
  const { local, domain, needsSmtpUtf8 } = address;
  const { promise: finding, resolve, reject } = deferred<MailboxFinding>();
  const pending = pendingFor({
    recipient: `${local}@${domain}`,
    domain,
    smtpUtf8: needsSmtpUtf8,
    isDecoy: false,
    isUrgent: priority?.isUrgent === true,
    settle: resolve,
    drop: () => resolve({ answer: "timeout" }),
    fail: reject,
  });
  exchange.add(pending);
  return {
    finding,
    get deferral() {
      return pending.deferral;
    },
    hurry: () => exchange.hurry(pending),
  };
}

function pendingFor(
  question: Required<
    Pick<
      ProbeRequest,
      "recipient" | "domain" | "smtpUtf8" | "isDecoy" | "isUrgent" | "settle" | "drop" | "fail"
    >
  >,
): ProbeRequest {
  const pending: ProbeRequest = {
    recipient: question.recipient,
    domain: question.domain,
    smtpUtf8: question.smtpUtf8,
    isDecoy: question.isDecoy,
    isWanted: !question.isDecoy,
    isUrgent: question.isUrgent,
    isSettled: false,
    deniedBy: new Map(),
    failures: 0,
    returns: 0,
    drop: question.drop,
    fail: question.fail,
    settle(finding) {
      pending.isSettled = true;
      question.settle(afterDeferral(pending.deferral, finding));
    },
  };
  return pending;
}

/** Not asked for, because the domain takes anyone. */
function inferredAcceptance({ route }: ProbeInput): MailboxFinding {
  return { answer: "accepted", isInferred: true, mxHost: route.hosts[0]!.name };
}
