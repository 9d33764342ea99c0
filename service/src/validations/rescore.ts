/** Scores of cached evidence by the current rules, to compare them with reported outcomes. */
import { decide, type Verifier, verdictScore } from "@mailvet/engine";
import { inTimeSlices } from "../base/event-loop-yield.ts";
import type { Rescored } from "../feedback/feedback.ts";
import { mergeEvidence } from "./cached-evidence.ts";
import type { VerdictCache } from "./verdict-cache.ts";

export type RescoreDeps = {
  verifier: Pick<Verifier, "inspect">;
  verdictCache: Pick<VerdictCache, "findStale">;
};

/** By normalised address; scores before calibration. */
export async function rescore(
  { verifier, verdictCache }: RescoreDeps,
  accountId: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Rescored>> {
  const cached = await verdictCache.findStale(accountId, addresses);
  const scores = await inTimeSlices([...cached], ([address, { evidence: found, checkedAtMs }]) => {
    const evidence = mergeEvidence(verifier.inspect(address), found);
    const verdict = decide(evidence);
    const score = verdictScore(evidence, verdict);
    const { subStatus } = verdict;
    return [address, { score, subStatus, provider: evidence.provider ?? "", checkedAtMs }] as const;
  });
  return new Map(scores);
}
