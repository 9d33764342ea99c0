/** What we last said of mailboxes, judged by the rules of today: to be held against what became of messages to them. */
import { decide, type Verifier, verdictScore } from "@mailvet/engine";
import { inTurns } from "../event-loop-yield.ts";
import type { LookedBack } from "../feedback/feedback.ts";
import { readWith } from "./cached-evidence.ts";
import type { VerdictMemory } from "./verdict-cache.ts";

export type LookBackDeps = {
  verifier: Pick<Verifier, "begin">;
  memory: Pick<VerdictMemory, "lookBack">;
};

/** Normalised address → the score as it is before outcomes have a say in it. */
export async function lookBack(
  { verifier, memory }: LookBackDeps,
  accountId: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, LookedBack>> {
  const remembered = await memory.lookBack(accountId, addresses);
  const said = await inTurns([...remembered], ([address, { kept, checkedAtMs }]) => {
    const evidence = readWith(verifier.begin(address, "syntax").evidence, kept);
    const verdict = decide(evidence);
    const score = verdictScore(evidence, verdict);
    const { subStatus } = verdict;
    return [address, { score, subStatus, provider: evidence.provider ?? "", checkedAtMs }] as const;
  });
  return new Map(said);
}
