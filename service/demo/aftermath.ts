/** What became of the messages after a list was cleaned: told to the service, as a mail service's export would. */
import type { DeliveryOutcome, Job, SubStatus } from "@mailvet/contract";
import type { Client } from "@mailvet/sdk";
import { type Chance, chanceFrom } from "./chance.ts";

const SEED = 7;
/** Of those that were written to, how many bounced: proven ones hardly, those at a catch-all rather more than expected. */
const BOUNCED: Partial<Record<SubStatus, number>> = { "": 0.012, catch_all: 0.45 };
const COMPLAINED = 0.003;

export async function tellAftermath({ jobs, feedback }: Client, { id }: Job): Promise<void> {
  const chance = chanceFrom(SEED);
  const outcomes: { email: string; outcome: DeliveryOutcome }[] = [];
  for await (const { email, sub_status, is_duplicate } of jobs.allResults(id)) {
    const bounced = BOUNCED[sub_status];
    if (bounced !== undefined && !is_duplicate) outcomes.push({ email, outcome: outcomeBy(chance, bounced) });
  }
  await feedback.submit(outcomes);
}

function outcomeBy(chance: Chance, bounced: number): DeliveryOutcome {
  const fate = chance.next();
  if (fate < bounced) return "bounced";
  return fate > 1 - COMPLAINED ? "complained" : "delivered";
}
