/**
 * Row lock on an endpoint, which serializes changes to the endpoint and to what belongs to it.
 *
 * Lock order: the endpoint before its deliveries and tasks and before the account's shares of the queue; closing its group
 * skips tasks that are locked (queue/tasks.ts).
 */
import { and, eq } from "drizzle-orm";
import type { Owner } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import type { Orm } from "../db/database.ts";
import type { EndpointRow } from "./present-webhook.ts";
import { webhookEndpoints } from "./schema.ts";

/** Publishing continues while an endpoint is changed. It waits while one is disabled or deleted, and then skips it. */
export type LockStrength = "for_change" | "for_removal";

/** Held until the transaction ends. Undefined: no such endpoint. */
export async function lockEndpoint(
  tx: Orm,
  endpointId: string,
  strength: LockStrength = "for_change",
): Promise<EndpointRow | undefined> {
  const [endpoint] = await tx
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.id, endpointId))
    .for(strength === "for_removal" ? "update" : "no key update");
  return endpoint;
}

/** Throws webhook_not_found, also for an endpoint of another owner. */
export async function lockOwnEndpoint(
  tx: Orm,
  { accountId, isTest }: Owner,
  endpointId: string,
  strength?: LockStrength,
): Promise<EndpointRow> {
  const endpoint = await lockEndpoint(tx, endpointId, strength);
  if (endpoint?.accountId !== accountId || endpoint.isTest !== isTest) throw noSuchWebhook();
  return endpoint;
}

export async function findOwnEndpoint(
  orm: Pick<Orm, "select">,
  owner: Owner,
  endpointId: string,
): Promise<EndpointRow> {
  const isIt = and(eq(webhookEndpoints.id, endpointId), isEndpointOf(owner));
  const [endpoint] = await orm.select().from(webhookEndpoints).where(isIt);
  if (!endpoint) throw noSuchWebhook();
  return endpoint;
}

export function isEndpointOf({ accountId, isTest }: Owner) {
  return and(eq(webhookEndpoints.accountId, accountId), eq(webhookEndpoints.isTest, isTest));
}

function noSuchWebhook(): Refusal {
  return new Refusal("webhook_not_found", "No webhook endpoint with this id exists in this account.");
}

/** Throws webhook_disabled. */
export function requireEnabled({ isEnabled }: EndpointRow): void {
  if (isEnabled) return;
  throw new Refusal("webhook_disabled", "The endpoint is disabled. Enable it first.");
}
