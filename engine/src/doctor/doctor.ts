/**
 * The doctor: looks at everything outside Mailvet that good verdicts depend on, and says what to do.
 *
 * First it visits a few large providers, which tells about port 25 and our address; then it looks at what the
 * world knows of that address. All in parallel, each round within its time, so that even a machine on which
 * everything is silent hears about it in less than 20 seconds.
 */
import { getServers } from "node:dns";
import { setTimeout as delay } from "node:timers/promises";
import { createResolver, type Resolver } from "../dns/resolver.ts";
import { createEgressGuard, type EgressGuard } from "../egress/guard.ts";
import type { EngineSettings } from "../settings.ts";
import { type Connect, createConnect, type Egress } from "../smtp/connect.ts";
import { examineBlocklists } from "./blocklists.ts";
import { examineEhloName } from "./ehlo-name.ts";
import type { Finding } from "./finding.ts";
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
  resolver: Pick<Resolver, "ask">;
  guard: EgressGuard;
  dial: Connect;
  smtpPort: number;
  egress: Egress;
  exemptSpecialUse: readonly string[];
  listsDirectory: string | undefined;
  localListsFile: string | undefined;
  /** Domains whose mail servers are visited; the first one must exist beyond doubt. */
  providers?: readonly [string, ...string[]];
  /** For the visits, and again for what follows from them. */
  roundMs?: number;
  /** A name server that takes longer is called slow. */
  slowNameServerMs?: number;
};

const ROUND_MS = 8000;
/** A round has room for questions that follow from one another, such as MX and then A. */
const DNS_SHARE = 1 / 3;

/** Findings in the same order in every run, each as soon as it and those before it are known. */
export async function* examine(deps: DoctorDeps): AsyncGenerator<Finding> {
  const { egress, guard, providers = PROVIDERS_TO_PROBE, roundMs = ROUND_MS } = deps;
  const { ehloName } = egress;
  const hasProxy = egress.proxy !== undefined;
  const sender = senderDomainOf(egress.mailFrom);

  const visits = Promise.all(
    providers.map((provider) => probeProvider({ ...deps, ehloName }, provider, roundMs)),
  );
  const us = visits.then((all) =>
    findPublicIp(all, { sourceAddress: egress.sourceAddress, hasProxy, guard }),
  );
  const nameServers = {
    nameServers: deps.nameServers,
    knownDomain: providers[0]!,
    timeoutMs: roundMs * DNS_SHARE,
    slowMs: deps.slowNameServerMs,
  };
  const named = { ...deps, ehloName };
  /** What depends on our address waits for the first round and has the second for itself. */
  const afterwards = async (name: string, look: (address: string | undefined) => Promise<Finding>) => {
    const { address } = await us;
    return within(name, roundMs, look(address));
  };
  /** A domain that does not exist is told of once; that it has no policies either is no news. */
  const atSender = async (name: string, look: () => Promise<Finding>): Promise<Finding> => {
    if (await senderDomainExists(deps, sender)) return look();
    return { name, outcome: "unknown", found: `Cannot be looked at: there is no domain ${sender}.` };
  };

  const findings: readonly Promise<Finding | Finding[]>[] = [
    within("name servers", roundMs, examineNameServers(nameServers)),
    visits.then((all) => judgePort25(all, { port: deps.smtpPort, hasProxy })),
    visits.then(judgeAcceptance),
    us.then(({ finding }) => finding),
    afterwards("EHLO name", (address) => examineEhloName(named, address)),
    afterwards("reverse DNS", (address) => examinePtrRecord(named, address)),
    within("sender domain", roundMs, examineSenderDomain(deps, sender)),
    afterwards("SPF", (address) => atSender("SPF", () => examineSenderSpf(deps, sender, address))),
    within(
      "DMARC",
      roundMs,
      atSender("DMARC", () => examineDmarc(deps, sender)),
    ),
    us.then(({ address }) => examineBlocklists(deps, address)),
    us.then(() => examineListAge(deps, Date.now())), // reads a large file, which would make the servers look slow
  ];
  for (const finding of findings) finding.catch(() => {}); // thrown below, when its turn comes
  for (const finding of findings) yield* [await finding].flat();
}

/** An examination that takes too long has found nothing out. */
async function within(name: string, limitMs: number, examination: Promise<Finding>): Promise<Finding> {
  const bell = new AbortController();
  const late = delay<Finding>(
    limitMs,
    { name, outcome: "unknown", found: `Nothing was found out within ${Math.round(limitMs / 1000)} s.` },
    { signal: bell.signal },
  );
  late.catch(() => {}); // aborted below, when the examination was in time
  try {
    return await Promise.race([examination, late]);
  } finally {
    bell.abort();
  }
}

export type Doctor = { examine(): AsyncGenerator<Finding>; close(): void };

/** A doctor with the real parts, as the settings describe them. */
export function doctorFrom(settings: EngineSettings): Doctor {
  const { dnsServers, egressAllow, smtpPort, egress } = settings;
  const configured = dnsServers.length > 0 ? dnsServers : getServers();
  const nameServers = configured.length > 0 ? configured : ["127.0.0.1"]; // what the resolver falls back to
  const resolver = createResolver({ servers: nameServers, timeoutMs: ROUND_MS * DNS_SHARE });
  const guard = createEgressGuard({ allow: egressAllow });
  const dial = createConnect({ guard, port: smtpPort, egress });
  return {
    examine: () => examine({ ...settings, nameServers, resolver, guard, dial }),
    close: () => resolver.close(),
  };
}
