/**
 * Diagnostics of everything outside Mailvet that verdicts depend on, with advice.
 *
 * First a few large providers are probed, which tests port 25 and reveals our public IP. Then DNS, SPF and blocklists
 * are checked for that IP. Checks run in parallel in two rounds with a time limit each, so that diagnostics end
 * within 20 seconds even if nothing responds.
 */
import { getServers } from "node:dns";
import { withTimeLimit } from "../base/time-limit.ts";
import { createResolver, type Resolver } from "../dns/resolver.ts";
import { createEgressGuard, type EgressGuard } from "../egress/guard.ts";
import { type EgressIdentity, originOf } from "../egress/identity.ts";
import type { EngineSettings } from "../settings.ts";
import { type Connect, createConnect } from "../smtp/client/connect.ts";
import { examineBlocklists } from "./blocklists.ts";
import { examineEhloName } from "./ehlo-name.ts";
import type { Diagnosis } from "./finding.ts";
import { examineListAge } from "./list-age.ts";
import { examineNameServers } from "./name-servers.ts";
import { judgePort25 } from "./port-25.ts";
import { judgeAcceptance } from "./provider-acceptance.ts";
import { PROVIDERS_TO_PROBE, probeProvider } from "./provider-probe.ts";
import { examinePtrRecord } from "./ptr-record.ts";
import { findPublicIp } from "./public-ip.ts";
import { examineDmarc, examineSenderDomain, senderDomainExists, senderDomainOf } from "./sender-domain.ts";
import { examineSenderSpf } from "./sender-spf.ts";

export type DoctorDeps = {
  /** Each as `ip[:port]`. */
  nameServers: readonly string[];
  resolver: Pick<Resolver, "query">;
  guard: EgressGuard;
  connectFrom: (identity: EgressIdentity) => Connect;
  smtpPort: number;
  egress: readonly EgressIdentity[];
  exemptSpecialUse: readonly string[];
  listsDirectory: string | undefined;
  localListsFile: string | undefined;
  /** Domains whose mail servers are probed; the first one must certainly exist. */
  providers?: readonly [string, ...string[]];
  /** Time limit of each of the two rounds. */
  roundMs?: number;
  /** A name server that takes longer is reported as slow. */
  slowNameServerMs?: number;
};

const ROUND_MS = 8000;
/** Leaves room in a round for consecutive queries, such as MX and then A. */
const DNS_SHARE = 1 / 3;

/** Yields findings in a fixed order, each as soon as it and those before it are known. */
export async function* examine(deps: DoctorDeps): AsyncGenerator<Diagnosis> {
  const { egress, providers = PROVIDERS_TO_PROBE, roundMs = ROUND_MS } = deps;
  const nameServers = {
    nameServers: deps.nameServers,
    knownDomain: providers[0]!,
    timeoutMs: roundMs * DNS_SHARE,
    slowMs: deps.slowNameServerMs,
  };
  const examined = egress.map((identity) => examineIdentity(deps, identity));
  const probed = Promise.all(examined.map(({ publicIp }) => publicIp));
  const findings: readonly Promise<Diagnosis | Diagnosis[]>[] = [
    inTime("name servers", roundMs, examineNameServers(nameServers)),
    ...examined.flatMap((one) => one.findings),
    probed.then(() => examineListAge(deps, Date.now())), // last: reading a large file distorts response times
  ];
  for (const finding of findings) finding.catch(() => {}); // rethrown below, in order
  for (const finding of findings) yield* [await finding].flat();
}

/** How mail servers see one egress identity. Where there are several, each finding names it. */
function examineIdentity(
  deps: DoctorDeps,
  identity: EgressIdentity,
): { publicIp: Promise<unknown>; findings: Promise<Diagnosis | Diagnosis[]>[] } {
  const { guard, providers = PROVIDERS_TO_PROBE, roundMs = ROUND_MS } = deps;
  const { ehloName, sourceAddress } = identity;
  const hasProxy = identity.proxy !== undefined;
  const sender = senderDomainOf(identity.mailFrom);
  const dial = deps.connectFrom(identity);

  const probes = Promise.all(
    providers.map((provider) => probeProvider({ ...deps, ehloName, dial }, provider, roundMs)),
  );
  const publicIp = probes.then((all) => findPublicIp(all, { sourceAddress, hasProxy, guard }));
  const withEhloName = { ...deps, ehloName };
  /** Checks that need the public IP run in the second round, with a full time limit. */
  const inSecondRound = async (name: string, check: (address: string | undefined) => Promise<Diagnosis>) => {
    const { address } = await publicIp;
    return inTime(name, roundMs, check(address));
  };
  /** A sender domain that does not exist is reported once; its missing policies are not. */
  const ifSenderExists = async (name: string, check: () => Promise<Diagnosis>): Promise<Diagnosis> => {
    if (await senderDomainExists(deps, sender)) return check();
    return { name, outcome: "unknown", found: `Not checked: the domain ${sender} does not exist.` };
  };

  const findings: Promise<Diagnosis | Diagnosis[]>[] = [
    probes.then((all) => judgePort25(all, { port: deps.smtpPort, hasProxy })),
    probes.then(judgeAcceptance),
    publicIp.then(({ finding }) => finding),
    inSecondRound("EHLO name", (address) => examineEhloName(withEhloName, address)),
    inSecondRound("reverse DNS", (address) => examinePtrRecord(withEhloName, address)),
    inTime("sender domain", roundMs, examineSenderDomain(deps, sender)),
    inSecondRound("SPF", (address) => ifSenderExists("SPF", () => examineSenderSpf(deps, sender, address))),
    inTime(
      "DMARC",
      roundMs,
      ifSenderExists("DMARC", () => examineDmarc(deps, sender)),
    ),
    publicIp.then(({ address }) => examineBlocklists(deps, address)),
  ];
  if (!identity.isCounted) return { publicIp, findings };
  const { name } = identity;
  const named = findings.map(async (finding) =>
    [await finding].flat().map((one) => ({ ...one, identity: name })),
  );
  return {
    publicIp,
    findings: [Promise.resolve({ ...describeIdentity(identity), identity: name }), ...named],
  };
}

function describeIdentity(identity: EgressIdentity): Diagnosis {
  const { ehloName, mailFrom, providers, share, sessionsPerDay, owner } = identity;
  const parts = [
    `${originOf(identity)} as ${ehloName}, MAIL FROM ${mailFrom}`,
    `share ${share}`,
    ...(providers ? [`only for ${providers.join(", ")}`] : []),
    ...(sessionsPerDay === undefined ? [] : [`at most ${sessionsPerDay} sessions a day`]),
    ...(owner === undefined ? [] : [`owned by ${owner}`]),
  ];
  return { name: "identity", outcome: "good", found: `${parts.join("; ")}.` };
}

/** A check that exceeds its time limit is `unknown`. */
function inTime(name: string, limitMs: number, check: Promise<Diagnosis>): Promise<Diagnosis> {
  const found = `The check did not finish within ${Math.round(limitMs / 1000)} s.`;
  return withTimeLimit(limitMs, check, { name, outcome: "unknown", found });
}

export type Doctor = { examine(): AsyncGenerator<Diagnosis>; close(): void };

/** Builds a doctor with the real dependencies, as configured. */
export function doctorFrom(settings: EngineSettings): Doctor {
  const { dnsServers, egressAllow, smtpPort: port } = settings;
  const configured = dnsServers.length > 0 ? dnsServers : getServers();
  const nameServers = configured.length > 0 ? configured : ["127.0.0.1"]; // the resolver's own fallback
  const resolver = createResolver({ servers: nameServers, timeoutMs: ROUND_MS * DNS_SHARE });
  const guard = createEgressGuard({ allow: egressAllow });
  const connectFrom = (egress: EgressIdentity) => createConnect({ guard, port, egress });
  return {
    examine: () => examine({ ...settings, nameServers, resolver, guard, connectFrom }),
    close: () => resolver.close(),
  };
}
