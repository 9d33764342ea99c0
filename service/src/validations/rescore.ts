/** What we last said of mailboxes, judged by the rules of today: to be held against what became of messages to them. */
import { decide, type Verifier, verdictScore } from "@mailvet/engine";
import { inTimeSlices } from "../event-loop-yield.ts";
import type { Rescored } from "../feedback/feedback.ts";
import { readWith } from "./cached-evidence.ts";
import type { VerdictCache } from "./verdict-cache.ts";

export type RescoreDeps = {
  verifier: Pick<Verifier, "begin">;
  memory: Pick<VerdictCache, "lookBack">;
};

/** Normalised address → the score as it is before outcomes have a say in it. */
export async function rescore(
  { verifier, memory }: RescoreDeps,
  accountId: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Rescored>> {
  const remembered = await memory.lookBack(accountId, addresses);
  const said = await inTimeSlices([...remembered], ([address, { kept, checkedAtMs }]) => {
    const evidence = readWith(verifier.begin(address, "syntax").evidence, kept);
    const verdict = decide(evidence);
    const score = verdictScore(evidence, verdict);
    const { subStatus } = verdict;
    return [address, { score, subStatus, provider: evidence.provider ?? "", checkedAtMs }] as const;
  });
  return new Map(said);
}
