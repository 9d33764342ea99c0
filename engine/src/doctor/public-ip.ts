/**
 * The address the world sees us under. Mail servers judge that one by its name, its sender policy and its
 * standing, so the examinations that follow need it.
 */
import type { EgressGuard } from "../egress/guard.ts";
import { type Case, type Finding, judge } from "./finding.ts";
import type { ProviderProbe } from "./provider-probe.ts";
import { isSameAddress } from "./reverse-dns-name.ts";

export type PublicIp = { address: string | undefined; finding: Finding };

/** What servers said they see comes first; the configured source address only stands in where it is public. */
export function findPublicIp(
  visits: readonly ProviderProbe[],
  options: { sourceAddress: string | undefined; hasProxy: boolean; guard: Pick<EgressGuard, "permits"> },
): PublicIp {
  const { sourceAddress, hasProxy, guard } = options;
  const seen = new Map<string, string>();
  for (const visit of visits) {
    if (!("seenAs" in visit) || visit.seenAs === undefined || !guard.permits(visit.seenAs)) continue;
    if (!seen.has(visit.seenAs)) seen.set(visit.seenAs, visit.provider);
  }
  const configured =
    sourceAddress !== undefined && !hasProxy && guard.permits(sourceAddress) ? sourceAddress : undefined;
  const facts = { seen: [...seen], sourceAddress, configured };
  return { address: facts.seen[0]?.[0] ?? configured, finding: judge("our address", CASES, facts) };
}

type Facts = {
  /** Address and who saw us there. */
  seen: readonly [string, string][];
  sourceAddress: string | undefined;
  configured: string | undefined;
};

const CASES: readonly Case<Facts>[] = [
  {
    outcome: "warning",
    when: ({ seen }) => seen.length > 1,
    found: ({ seen }) =>
      `We come from several addresses: ${seen.map(([address, provider]) => `${address} (seen by ${provider})`).join(", ")}.`,
    advice: ({ seen }) =>
      `Each of them needs its own reverse DNS and a place in the SPF record. Only ${seen[0]![0]} is examined below.`,
  },
  {
    outcome: "warning",
    when: ({ seen, configured }) =>
      seen.length === 1 && configured !== undefined && !isSameAddress(seen[0]![0], configured),
    found: ({ seen, configured }) => `${seen[0]![1]} sees us as ${seen[0]![0]}, not as ${configured}.`,
    advice: () => "SOURCE_ADDRESS does not take effect outside: something on the way translates addresses.",
  },
  {
    outcome: "good",
    when: ({ seen }) => seen.length === 1,
    found: ({ seen }) => `${seen[0]![0]}, as ${seen[0]![1]} sees us.`,
  },
  {
    outcome: "good",
    when: ({ configured }) => configured !== undefined,
    found: ({ configured }) => `${configured}, as SOURCE_ADDRESS says; no mail server has told.`,
  },
  {
    outcome: "unknown",
    when: () => true,
    found: ({ sourceAddress }) =>
      sourceAddress === undefined
        ? "No mail server has told which address it sees us under."
        : `No mail server has told which address it sees us under, and ${sourceAddress} is not the one.`,
    advice: () =>
      "Once port 25 works this shows by itself. Or set SOURCE_ADDRESS, where this machine has a public address of its own.",
  },
];
