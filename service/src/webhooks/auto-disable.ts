/** Switches an endpoint off: nothing more is sent to it, and what waited for it has failed. */
import { and, eq } from "drizzle-orm";
import type { Orm } from "../db/database.ts";
import type { Tasks } from "../queue/tasks.ts";
import { hostOf } from "./destination-check.ts";
import { lockEndpoint } from "./endpoint-lock.ts";
import type { EndpointRow } from "./present-webhook.ts";
import { webhookDeliveries, webhookEndpoints } from "./schema.ts";

/** Without a reason it is its owner's wish. */
export async function disableEndpoint(
  tasks: Pick<Tasks, "closeGroup">,
  tx: Orm,
  { id }: EndpointRow,
  reason: string | undefined,
): Promise<void> {
  // Whoever is announcing something to it at this moment is waited for: what they add has failed as well.
  await lockEndpoint(tx, id, "against announcements");
  const off = { isEnabled: false, disabledReason: reason ?? null };
  await tx.update(webhookEndpoints).set(off).where(eq(webhookEndpoints.id, id));
  await tx
    .update(webhookDeliveries)
    .set({ state: "failed", nextAttemptAt: null, trouble: ENDPOINT_DISABLED })
    .where(and(eq(webhookDeliveries.endpointId, id), eq(webhookDeliveries.state, "pending")));
  await tasks.closeGroup(tx, id);
}

export const ENDPOINT_DISABLED = "The endpoint was switched off before this arrived.";

/** What its owner reads when we have switched it off. */
export function endpointDisabledEmail(
  { url }: EndpointRow,
  reason: string,
): { subject: string; text: string } {
  const host = hostOf(url);
  return {
    subject: `Your webhook at ${host} is switched off`,
    text: [
      `Mailvet no longer sends webhooks to your endpoint at ${host}. ${reason}`,
      "What waited for it has failed. Once the endpoint works, switch it on again; what was sent in the last 30 days can be sent once more.\n",
    ].join("\n\n"),
  };
}
