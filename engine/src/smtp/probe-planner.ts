/**
 * Plans probes so that they need as few SMTP sessions as possible.
 *
 * Requests go to one host pool per set of mail hosts, so that all addresses probed at the same time share sessions. One
 * decoy per domain detects catch-all; a domain known to be catch-all is not probed at all. Single checks and lists take
 * the same path.
 *
 * Decides what is sent and combines the findings about target and decoy. Sessions are in host-pool.ts, the verdict is in
 * ../verdict.ts.
 */
import type { Socket } from "node:net";
import type { Address } from "../address/address.ts";
import { deferred } from "../deferred.ts";
import type { MailHost } from "../dns/mail-route.ts";
import type { EgressIdentity } from "../egress/identity.ts";
import type { Observe } from "../egress/network-event.ts";
import type { DecoyFinding, MailboxFinding } from "../evidence.ts";
import type { RequestPriority } from "../request-priority.ts";
import { type AskDecoy, createCatchAllCache, type DecoyReply, isRefusalOfDecoy } from "./catch-all.ts";
import { type Connect, destroySocket } from "./client/connect.ts";
import { AcceptedMailboxes, isRefusedLikeDecoy, isUnknownUserCode } from "./decoy-comparison.ts";
import { type DecoyStyle, decoyName } from "./decoy-name.ts";
import { HostPool, type HostPoolDeps, type MailHosts } from "./host-pool.ts";
import { IdentitySet, type IdentitySetOptions } from "./identity-set.ts";
import { ProbeRequest } from "./probe-request.ts";
import { MAX_ADDRESSES_PER_HOST } from "./session/session-opener.ts";
import { type SessionLimits, sessionLimits } from "./session-limits.ts";
import { GlobalLimiter } from "./throttle/global-limiter.ts";
import { type ProviderProfile, profileOf } from "./throttle/provider-profile.ts";

export type PlannerOptions = Omit<IdentitySetOptions, "identities"> & {
  egress: readonly EgressIdentity[];
  probeTimeoutMs: number;
  /** Concurrent sessions to a host without a profile of its own. */
  connectionsPerHost?: number;
  /** Concurrent sessions in all. */
  sessionLimits?: SessionLimits;
  /** How long an idle session waits for more requests before it quits. */
  idleSessionMs?: number;
  /** On close, sessions have this long to send QUIT before their sockets are destroyed. */
  closeGraceMs?: number;
  /** Called at the end of every session. */
  observe?: Observe;
};

export type ProbeInput = {
  address: Address;
  route: MailHosts;
  provider: string;
  /** A role mailbox such as postmaster@, as the inspection of the address found. */
  isRole?: boolean;
  /** Interactive probes go before those of lists. */
  priority?: RequestPriority;
  /** Named in the events of the sessions that it takes part in. */
  trace?: string | undefined;
};
/** The finding about the mailbox, and the one about a decoy as soon as it is known. */
export type ProbeResult = { mailbox: MailboxFinding; decoy?: Promise<DecoyFinding> };

export type ProbePlanner = {
  probe(input: ProbeInput): Promise<ProbeResult>;
  /** Ends all sessions with QUIT, by default within a second. Queued probes are answered as timed out. */
  close(): Promise<void>;
};

const IDLE_SESSION_MS = 250;
const CLOSE_GRACE_MS = 700;

export function createPlanner(options: PlannerOptions): ProbePlanner {
  const { closeGraceMs = CLOSE_GRACE_MS, idleSessionMs = IDLE_SESSION_MS } = options;
  const catchAll = createCatchAllCache();
  const acceptedMailboxes = new AcceptedMailboxes();
  const pools = new Map<string, HostPool>();
  const globalLimiter = new GlobalLimiter(options.sessionLimits ?? sessionLimits());
  let isClosed = false;

  /** Connected, or about to be: close() destroys them. */
  const sockets = new Set<Socket>();
  const onSocket = (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  const connectFrom = (identity: EgressIdentity): Connect => {
    const dial = options.connectFrom(identity);
    return (address, timeoutMs) => dial(address, timeoutMs, onSocket);
  };
  const identities = new IdentitySet({ ...options, identities: options.egress, connectFrom });
  const abandon = () => {
    for (const socket of sockets) destroySocket(socket);
  };

  const poolFor = ({ route, provider }: ProbeInput, profile: ProviderProfile): HostPool => {
    const key = poolKey(route);
    const known = pools.get(key);
    if (known) return known;
    const { probeTimeoutMs, observe } = options;
    const deps: HostPoolDeps = {
      identities: identities.for(provider),
      globalLimiter,
      acceptedMailboxes,
      onRefused: catchAll.recordRefused,
      leftAtCatchAll: (domain) => leftAtCatchAll(domain, { route, provider }, profile),
      // Large providers count connections to all their hosts together, others per host.
      identitiesAt: (host) => identities.at(profile.isShared ? `provider ${provider}` : host, profile),
      probeTimeoutMs,
      idleSessionMs,
      provider,
      ...(observe && { observe }),
    };
    const pool = new HostPool(deps, route, profile);
    pool.onIdle = () => pools.delete(key);
    pools.set(key, pool);
    if (isClosed) void pool.close(); // it drops every request at once
    return pool;
  };

  const isFailed = ({ addresses }: MailHost, provider: string) =>
    identities
      .for(provider)
      .every(({ hostLimits }) =>
        addresses.slice(0, MAX_ADDRESSES_PER_HOST).every((address) => hostLimits.failureOf(address)),
      );

  /**
   * Whether this host would answer now. The hosts of a large provider share their state; elsewhere a backup host may accept every
   * name and leave the decision to the first.
   */
  const isByFirstHost: IsByFirstHost = ({ mxHost }, { route, provider }, { isShared }) =>
    isShared || mxHost === route.hosts.find((host) => !isFailed(host, provider))?.name;

  /** Mailboxes of a catch-all domain to ask before the others are taken for accepted. At a large provider none. */
  const leftAtCatchAll = (
    domain: string,
    input: Pick<ProbeInput, "route" | "provider">,
    profile: ProviderProfile,
  ): number => {
    const left = catchAll.leftToAsk(domain);
    if (left === Number.POSITIVE_INFINITY || !isByFirstHost(catchAll.peek(domain) ?? {}, input, profile))
      return Number.POSITIVE_INFINITY;
    return profile.isShared ? 0 : left;
  };

  /** Settles the mailboxes of a catch-all domain that need not be asked. */
  const inferRest = (input: ProbeInput, profile: ProviderProfile) => {
    const { domain } = input.address;
    if (leftAtCatchAll(domain, input, profile) > 0) return;
    poolFor(input, profile).settleTargets(domain, inferredAcceptance(catchAll.peek(domain) ?? {}));
  };

  const decoyAt = (host: string | undefined, input: ProbeInput, profile: ProviderProfile) =>
    catchAll.finding(`${input.address.domain} at ${host}`, () =>
      sendDecoy(poolFor(input, profile), input, profile, () => {}, host),
    );

  /** The decoy to compare a mailbox with: a backup host may accept what the first one refuses. */
  const decoyBeside = async (
    { mxHost }: MailboxFinding,
    input: ProbeInput,
    profile: ProviderProfile,
    askDecoy: AskDecoy,
  ): Promise<DecoyFinding> => {
    const decoy = await catchAll.finding(input.address.domain, askDecoy);
    const isComparable = profile.isShared || decoy.confidence === 0 || decoy.mxHost === mxHost;
    return isComparable ? decoy : decoyAt(mxHost, input, profile);
  };

  /** The first host deferred, and another accepted. That one may be a relay that accepts anything: it gets a decoy. */
  const acceptedByNextHost = async (
    mailbox: MailboxFinding,
    deferral: MailboxFinding,
    input: ProbeInput,
    profile: ProviderProfile,
  ): Promise<ProbeResult> => {
    const decoy = await decoyAt(mailbox.mxHost, input, profile);
    return decoy.answer === "not_found" ? { mailbox, decoy: Promise.resolve(decoy) } : { mailbox: deferral };
  };

  /** A refusal without a reason is `not_found` where the decoy is refused alike, and neither like everything. */
  const compareWithDecoy = (
    mailbox: MailboxFinding,
    decoy: DecoyFinding,
    { local, domain }: Address,
  ): MailboxFinding => {
    const names = [local, decoyName(domain, Date.now()), decoyName(domain, Date.now(), "random")];
    if (!isRefusedLikeDecoy(mailbox, decoy, names)) return mailbox;
    const isProven = isUnknownUserCode(mailbox) || (mailbox.isSelective && decoy.isSelective);
    return isProven ? { ...mailbox, answer: "not_found", isLikeDecoy: true } : mailbox;
  };

  /** A name in capitals, at a host that is not known to take capitals: Courier knows only `ann` unless it is told otherwise. */
  const mayKnowLowerCase = (
    { answer, isUnexplained }: MailboxFinding,
    { address: { local, domain } }: ProbeInput,
    { isShared }: ProviderProfile,
  ): boolean => {
    if (isShared || !hasCapitals(local) || !(answer === "not_found" || isUnexplained)) return false;
    const accepted = acceptedMailboxes.at(domain);
    return accepted === undefined || !hasCapitals(accepted.recipient);
  };

  return {
    async probe(input) {
      const seconds = identities.blockedForSeconds(input.provider);
      if (seconds !== undefined) return { mailbox: { answer: "egress_blocked", retryAfterSeconds: seconds } };

      const { domain } = input.address;
      const profile = profileOf(input.provider, options.connectionsPerHost);
      const known = catchAll.known(domain, profile.acceptancesPerDecoy);
      if (known && leftAtCatchAll(domain, input, profile) === 0) {
        return { mailbox: inferredAcceptance(known), decoy: Promise.resolve(known) };
      }
      // The pool is looked up each time: one that became idle in between has been replaced.
      const askDecoy: AskDecoy = () =>
        sendDecoy(poolFor(input, profile), input, profile, () => inferRest(input, profile));
      const release = known ? undefined : catchAll.prepare(domain, askDecoy);
      const pool = poolFor(input, profile);
      pool.updateHosts(input.route.hosts); // a busy pool can live for hours, and its hosts may move meanwhile
      let { request, finding } = sendTarget(pool, input);
      input.priority?.onRaise(() => {
        pool.raisePriority(request);
        catchAll.raisePriority(domain);
      });
      try {
        let mailbox = await finding;
        if (!mailbox.isInferred) {
          catchAll.recordAsked(domain);
          inferRest(input, profile);
        }
        if (mayKnowLowerCase(mailbox, input, profile)) {
          const lowerCase = sendTarget(poolFor(input, profile), inLowerCase(input));
          const found = await lowerCase.finding;
          if (found.answer === "accepted") [request, mailbox] = [lowerCase.request, found];
        }
        if (mailbox.isUnexplained) {
          const decoy = await decoyBeside(mailbox, input, profile, askDecoy);
          return { mailbox: compareWithDecoy(mailbox, decoy, input.address) };
        }
        if (mailbox.answer !== "accepted") return { mailbox };
        if (request.deferral) return acceptedByNextHost(mailbox, request.deferral, input, profile);
        return { mailbox, decoy: decoyBeside(mailbox, input, profile, askDecoy) };
      } finally {
        release?.();
      }
    },
    async close() {
      isClosed = true;
      const timer = setTimeout(abandon, closeGraceMs);
      await Promise.all([...pools.values()].map((pool) => pool.close()));
      clearTimeout(timer);
    },
  };
}

type Answered = Pick<MailboxFinding, "mxHost">;
type IsByFirstHost = (
  answered: Answered,
  input: Pick<ProbeInput, "route" | "provider">,
  profile: ProviderProfile,
) => boolean;

/** Where a domain's mail goes first, also where the lookup of a host failed. */
function preferredHosts({ hosts, unresolved = [] }: MailHosts): string[] {
  const best = Math.min(...[...hosts, ...unresolved].map(({ preference }) => preference));
  return [
    ...hosts.filter(({ preference }) => preference === best).map(({ name }) => name),
    ...unresolved.filter(({ preference }) => preference === best).map(({ exchange }) => exchange),
  ];
}

function poolKey({ hosts, isPartial }: MailHosts): string {
  const names = hosts.length === 1 ? hosts[0]!.name : hosts.map(({ name }) => name).join(" ");
  return isPartial ? `${names} …` : names;
}

/**
 * Sends a decoy that looks like a person's name; if it is accepted, also a random one, which decides the confidence.
 */
function sendDecoy(
  pool: HostPool,
  input: ProbeInput,
  profile: ProviderProfile,
  onKnown: () => void,
  onlyHost?: string,
): ReturnType<AskDecoy> {
  const { domain } = input.address;
  const otherHosts = input.route.hosts.filter(({ name }) => onlyHost !== undefined && name !== onlyHost);
  const { promise: finding, resolve } = deferred<DecoyReply | undefined>();
  const send = (style: DecoyStyle, onFinding: (found: MailboxFinding | undefined) => void): ProbeRequest => {
    const request = new ProbeRequest(
      {
        recipient: `${decoyName(domain, Date.now(), style)}@${domain}`,
        domain,
        smtpUtf8: false,
        isDecoy: true,
        isInteractive: input.priority?.isUrgent === true,
        trace: input.trace,
      },
      (end) => onFinding(end.kind === "settled" ? end.finding : undefined),
    );
    for (const { name } of otherHosts) request.deny(name, "domain_not_accepted"); // so that its host alone decides
    pool.add(request);
    return request;
  };
  let current = send("name", (named) => {
    if (named?.answer !== "accepted") return resolve(named);
    current = send("random", (random) => resolve(combined(named, random, profile)));
    markNeeded();
  });
  const markNeeded = () => {
    current.markNeeded();
    pool.wake();
  };
  return {
    finding,
    onKnown,
    markNeeded,
    raisePriority: () => pool.raisePriority(current),
    dropUnneeded: () => pool.dropUnneeded(current),
  };
}

const BOTH_ACCEPTED = 0.96;
const ONLY_NAMES_ACCEPTED = 0.85;

/** What the accepted name decoy proves, together with the result of the random one. */
function combined(
  named: MailboxFinding,
  random: MailboxFinding | undefined,
  { isNeverCatchAll }: ProviderProfile,
): DecoyReply | undefined {
  if (random?.answer === "accepted") {
    // A provider that is never catch-all and accepts everything no longer answers our address truthfully.
    return isNeverCatchAll ? { ...named, answer: "probe_blocked" } : { ...named, confidence: BOTH_ACCEPTED };
  }
  if (isNeverCatchAll) return random; // among so many mailboxes the invented name may exist
  return random && isRefusalOfDecoy(random) ? { ...named, confidence: ONLY_NAMES_ACCEPTED } : named;
}

function sendTarget(
  pool: HostPool,
  { address, route, isRole, priority, trace }: ProbeInput,
): { request: ProbeRequest; finding: Promise<MailboxFinding> } {
  const { local, domain, needsSmtpUtf8 } = address;
  const { promise: finding, resolve, reject } = deferred<MailboxFinding>();
  const request = new ProbeRequest(
    {
      recipient: `${local}@${domain}`,
      domain,
      smtpUtf8: needsSmtpUtf8,
      isDecoy: false,
      isRole,
      isInteractive: priority?.isUrgent === true,
      preferredHosts: preferredHosts(route),
      trace,
    },
    (end) => {
      if (end.kind === "failed") reject(end.error);
      else resolve(end.kind === "settled" ? end.finding : { answer: "timeout" });
    },
  );
  pool.add(request);
  return { request, finding };
}

const hasCapitals = (name: string) => name !== name.toLowerCase();

function inLowerCase({ address, ...input }: ProbeInput): ProbeInput {
  const local = address.normalized.slice(0, address.normalized.lastIndexOf("@"));
  return { ...input, address: { ...address, local } };
}

/** The mailbox of a catch-all domain, which is not probed. */
function inferredAcceptance({ mxHost }: Answered): MailboxFinding {
  return { answer: "accepted", isInferred: true, ...(mxHost !== undefined && { mxHost }) };
}
