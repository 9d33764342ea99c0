/**
 * Tells an account's endpoints that something has happened, inside the transaction in which it happens: either both are
 * so, or neither. What is written here is the message exactly as it will be signed and sent, and a task to send it.
 */
import { randomUUID } from "node:crypto";
import type { WebhookEvent, WebhookMessage } from "@mailvet/contract";
import { and, arrayContains, eq, or, sql } from "drizzle-orm";
import type { Orm } from "../db/database.ts";
import type { Tasks } from "../queue/tasks.ts";
import type { DeliveryRow } from "./present-webhook.ts";
import { webhookDeliveries, webhookEndpoints } from "./schema.ts";

export type PublishEvent = (
  tx: Orm,
  accountId: string,
  event: WebhookEvent,
  data: Record<string, unknown>,
) => Promise<void>;

type GroupTasks = Pick<Tasks, "openGroup" | "add">;

/** To every endpoint of the account that is switched on and wants to hear of it. */
export function createPublishEvent(tasks: GroupTasks): PublishEvent {
  return async (tx, accountId, event, data) => {
    const wanting = await tx
      .select({ id: webhookEndpoints.id, accountId: webhookEndpoints.accountId })
      .from(webhookEndpoints)
      .where(
        and(
          eq(webhookEndpoints.accountId, accountId),
          eq(webhookEndpoints.isEnabled, true),
          or(eq(webhookEndpoints.events, sql`'{}'`), arrayContains(webhookEndpoints.events, [event])),
        ),
      )
      .orderBy(webhookEndpoints.id) // everybody in the same order, so that nobody waits in a circle
      .for("key share"); // one that is being switched off or erased is waited for, and then not among them
    const happenedAt = new Date();
    for (const endpoint of wanting) await addDelivery(tasks, tx, endpoint, { event, happenedAt, data });
  };
}

export type EventToPublish = { event: WebhookEvent; happenedAt: Date; data: Record<string, unknown> };

/** A delivery and its task. The endpoint is locked, be it only against being erased. */
export async function addDelivery(
  tasks: GroupTasks,
  tx: Orm,
  endpoint: { id: string; accountId: string },
  { event, happenedAt, data }: EventToPublish,
): Promise<DeliveryRow> {
  const { id: endpointId, accountId } = endpoint;
  const message: WebhookMessage = { type: event, timestamp: happenedAt.toISOString(), data };
  const [delivery] = await tx
    .insert(webhookDeliveries)
    .values({
      id: randomUUID(),
      accountId,
      endpointId,
      event,
      body: JSON.stringify(message),
      state: "pending",
      createdAt: happenedAt,
      seriesAt: happenedAt,
      nextAttemptAt: happenedAt,
    })
    .returning();
  await addTask(tasks, tx, delivery!);
  return delivery!;
}

export async function addTask(
  tasks: GroupTasks,
  tx: Orm,
  { id, endpointId, accountId }: DeliveryRow,
): Promise<void> {
  await tasks.openGroup(tx, { id: endpointId, accountId, queue: "webhooks" });
  await tasks.add(tx, [{ groupId: endpointId, kind: "delivery", subject: id }]);
}
