/** Simulated delivery results for a cleaned list, submitted as feedback like a mail provider's export. */
import type { DeliveryOutcome, Job, SubStatus } from "@mailvet/contract";
import type { Client } from "@mailvet/sdk";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";

const SEED = 7;
/** Bounce rate by sub status: low for confirmed mailboxes, higher than predicted at catch-all domains. */
const BOUNCED: Partial<Record<SubStatus, number>> = { "": 0.012, catch_all: 0.45 };
const COMPLAINED = 0.003;

export async function submitDeliveryResults({ jobs, feedback }: Client, { id }: Job): Promise<void> {
  const random = seededRandom(SEED);
  const outcomes: { email: string; outcome: DeliveryOutcome }[] = [];
  for await (const { email, sub_status, is_duplicate } of jobs.results(id)) {
    const bounced = BOUNCED[sub_status!];
    if (bounced !== undefined && !is_duplicate) outcomes.push({ email, outcome: outcomeBy(random, bounced) });
  }
  await feedback.submit(outcomes);
}

function outcomeBy(random: SeededRandom, bounced: number): DeliveryOutcome {
  const drawn = random.next();
  if (drawn < bounced) return "bounced";
  return drawn > 1 - COMPLAINED ? "complained" : "delivered";
}
