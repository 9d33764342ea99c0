/** Determines our public IP, as seen by mail servers. PTR, SPF and blocklist checks depend on it. */
import type { EgressGuard } from "../egress/guard.ts";
import { type Diagnosis, type FindingRule, judge } from "./finding.ts";
import type { ProviderProbe } from "./provider-probe.ts";
import { isSameAddress } from "./reverse-dns-name.ts";

export type PublicIp = { address: string | undefined; finding: Diagnosis };

/** Prefers what servers report; the configured source address is used only if it is public. */
export function findPublicIp(
  probes: readonly ProviderProbe[],
  options: { sourceAddress: string | undefined; hasProxy: boolean; guard: Pick<EgressGuard, "permits"> },
): PublicIp {
  const { sourceAddress, hasProxy, guard } = options;
  const seen = new Map<string, string>();
  for (const probe of probes) {
    if (!("seenAs" in probe) || probe.seenAs === undefined || !guard.permits(probe.seenAs)) continue;
    if (!seen.has(probe.seenAs)) seen.set(probe.seenAs, probe.provider);
  }
  const configured =
    sourceAddress !== undefined && !hasProxy && guard.permits(sourceAddress) ? sourceAddress : undefined;
  const facts = { seen: [...seen], sourceAddress, configured };
  return { address: facts.seen[0]?.[0] ?? configured, finding: judge("our address", RULES, facts) };
}

type Facts = {
  /** Address, and the provider that reported it. */
  seen: readonly [string, string][];
  sourceAddress: string | undefined;
  configured: string | undefined;
};

const RULES: readonly FindingRule<Facts>[] = [
  {
    outcome: "warning",
    when: ({ seen }) => seen.length > 1,
    found: ({ seen }) =>
      `Connections leave from several addresses: ${seen.map(([address, provider]) => `${address} (seen by ${provider})`).join(", ")}.`,
    advice: ({ seen }) =>
      `Each of them needs its own PTR record and must be in the SPF record. Only ${seen[0]![0]} is checked below.`,
  },
  {
    outcome: "warning",
    when: ({ seen, configured }) =>
      seen.length === 1 && configured !== undefined && !isSameAddress(seen[0]![0], configured),
    found: ({ seen, configured }) => `${seen[0]![1]} sees ${seen[0]![0]}, not ${configured}.`,
    advice: () => "SOURCE_ADDRESS has no effect outside this network: addresses are translated (NAT).",
  },
  {
    outcome: "good",
    when: ({ seen }) => seen.length === 1,
    found: ({ seen }) => `${seen[0]![0]}, as seen by ${seen[0]![1]}.`,
  },
  {
    outcome: "good",
    when: ({ configured }) => configured !== undefined,
    found: ({ configured }) => `${configured}, from SOURCE_ADDRESS; no mail server reported it.`,
  },
  {
    outcome: "unknown",
    when: () => true,
    found: ({ sourceAddress }) =>
      sourceAddress === undefined
        ? "No mail server reported our public IP."
        : `No mail server reported our public IP, and ${sourceAddress} is not public.`,
    advice: () =>
      "This resolves itself once port 25 works. Or set SOURCE_ADDRESS if this machine has its own public address.",
  },
];
