/**
 * The lock on an endpoint's row, by which everybody who changes an endpoint, or what belongs to it, takes turns.
 *
 * It is taken before the endpoint's deliveries, its lane and its tasks are touched: so nobody ever waits for one another
 * in a circle.
 */
import { and, eq } from "drizzle-orm";
import type { Orm } from "../db/database.ts";
import { Refusal } from "../refusal.ts";
import type { EndpointRow } from "./present-webhook.ts";
import { webhookEndpoints } from "./schema.ts";

/** Announcing goes on while an endpoint is changed; not while it is switched off or erased, and then passes it over. */
export type Extent = "against changes" | "against announcements";

/** Locked until the transaction is over. Undefined: there is no such endpoint. */
export async function lockEndpoint(
  tx: Orm,
  endpointId: string,
  extent: Extent = "against changes",
): Promise<EndpointRow | undefined> {
  const [endpoint] = await tx
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.id, endpointId))
    .for(extent === "against announcements" ? "update" : "no key update");
  return endpoint;
}

/** Refuses with webhook_not_found, also for another account's. */
export async function lockOwnEndpoint(
  tx: Orm,
  accountId: string,
  endpointId: string,
  extent?: Extent,
): Promise<EndpointRow> {
  const endpoint = await lockEndpoint(tx, endpointId, extent);
  if (endpoint?.accountId !== accountId) throw noSuchWebhook();
  return endpoint;
}

export async function findOwnEndpoint(
  orm: Pick<Orm, "select">,
  accountId: string,
  endpointId: string,
): Promise<EndpointRow> {
  const isIt = and(eq(webhookEndpoints.id, endpointId), eq(webhookEndpoints.accountId, accountId));
  const [endpoint] = await orm.select().from(webhookEndpoints).where(isIt);
  if (!endpoint) throw noSuchWebhook();
  return endpoint;
}

function noSuchWebhook(): Refusal {
  return new Refusal("webhook_not_found", "There is no webhook endpoint with this id among yours.");
}

/** Refuses with webhook_disabled. */
export function requireEnabled({ isEnabled }: EndpointRow): void {
  if (isEnabled) return;
  throw new Refusal("webhook_disabled", "The endpoint is switched off; switch it on first.");
}
