/** Disables an endpoint: pending deliveries fail and nothing more is sent to it. */
import { and, eq } from "drizzle-orm";
import type { Orm } from "../db/database.ts";
import type { Tasks } from "../queue/tasks.ts";
import { hostOf } from "./destination-check.ts";
import { lockEndpoint } from "./endpoint-lock.ts";
import type { EndpointRow } from "./present-webhook.ts";
import { webhookDeliveries, webhookEndpoints } from "./schema.ts";

/** Without a reason: disabled by its owner. */
export async function disableEndpoint(
  tasks: Pick<Tasks, "closeGroup">,
  tx: Orm,
  { id }: EndpointRow,
  reason: string | undefined,
): Promise<void> {
  // Waits for transactions that publish to it: the deliveries they add fail as well.
  await lockEndpoint(tx, id, "for_removal");
  const disabled = { isEnabled: false, disabledReason: reason ?? null };
  await tx.update(webhookEndpoints).set(disabled).where(eq(webhookEndpoints.id, id));
  await tx
    .update(webhookDeliveries)
    .set({ state: "failed", nextAttemptAt: null, trouble: ENDPOINT_DISABLED })
    .where(and(eq(webhookDeliveries.endpointId, id), eq(webhookDeliveries.state, "pending")));
  await tasks.closeGroup(tx, id);
}

const ENDPOINT_DISABLED = "The endpoint was disabled before this was delivered.";

/** Sent to the owner when the endpoint was disabled automatically. */
export function endpointDisabledEmail(
  { url }: EndpointRow,
  reason: string,
): { subject: string; text: string } {
  const host = hostOf(url);
  return {
    subject: `Your webhook endpoint at ${host} was disabled`,
    text: [
      `Mailvet stopped sending webhooks to your endpoint at ${host}. ${reason}`,
      "Pending deliveries have failed. Enable the endpoint again once it works; deliveries of the last 30 days can be replayed.\n",
    ].join("\n\n"),
  };
}
