/**
 * Publishes an event to its owner's endpoints, in the transaction that causes the event (transactional outbox).
 *
 * Stores the message exactly as it will be signed and sent, and adds a task that sends it.
 */
import { randomUUID } from "node:crypto";
import type { WebhookEvent, WebhookMessage } from "@mailvet/contract";
import { and, arrayContains, eq, isNull, or, sql } from "drizzle-orm";
import type { Owner } from "../base/caller.ts";
import type { Orm } from "../db/database.ts";
import type { Tasks } from "../queue/tasks.ts";
import { isEndpointOf } from "./endpoint-lock.ts";
import type { DeliveryRow } from "./present-webhook.ts";
import { webhookDeliveries, webhookEndpoints } from "./schema.ts";

export type PublishEvent = (
  tx: Orm,
  owner: Owner,
  event: WebhookEvent,
  data: Record<string, unknown>,
  /** The job that the event is about. */
  jobId?: string,
) => Promise<void>;

type GroupTasks = Pick<Tasks, "openGroup" | "add">;

/** To every enabled endpoint of the owner that subscribes to the event, or to this job. */
export function createPublishEvent(tasks: GroupTasks): PublishEvent {
  return async (tx, owner, event, data, jobId) => {
    const isOfAllJobs = isNull(webhookEndpoints.jobId);
    const subscribed = await tx
      .select({
        id: webhookEndpoints.id,
        accountId: webhookEndpoints.accountId,
        isTest: webhookEndpoints.isTest,
      })
      .from(webhookEndpoints)
      .where(
        and(
          isEndpointOf(owner),
          eq(webhookEndpoints.isEnabled, true),
          jobId === undefined ? isOfAllJobs : or(isOfAllJobs, eq(webhookEndpoints.jobId, jobId)),
          or(eq(webhookEndpoints.events, sql`'{}'`), arrayContains(webhookEndpoints.events, [event])),
        ),
      )
      .orderBy(webhookEndpoints.id) // one lock order for all publishers, against deadlocks
      .for("key share"); // waits for one that is being disabled or deleted, then skips it
    const occurredAt = new Date();
    for (const endpoint of subscribed) await addDelivery(tasks, tx, endpoint, { event, occurredAt, data });
  };
}

export type EventToPublish = { event: WebhookEvent; occurredAt: Date; data: Record<string, unknown> };

/** Adds a delivery and its task. The caller holds a lock on the endpoint, at least against deletion. */
export async function addDelivery(
  tasks: GroupTasks,
  tx: Orm,
  endpoint: Owner & { id: string },
  { event, occurredAt, data }: EventToPublish,
): Promise<DeliveryRow> {
  const { id: endpointId, accountId, isTest } = endpoint;
  const timestamp = occurredAt.toISOString();
  const message: WebhookMessage = { type: event, timestamp, ...(isTest && { sandbox: true }), data };
  const [delivery] = await tx
    .insert(webhookDeliveries)
    .values({
      id: randomUUID(),
      accountId,
      endpointId,
      event,
      body: JSON.stringify(message),
      state: "pending",
      createdAt: occurredAt,
      seriesAt: occurredAt,
      nextAttemptAt: occurredAt,
    })
    .returning();
  await addDeliveryTask(tasks, tx, delivery!);
  return delivery!;
}

export async function addDeliveryTask(
  tasks: GroupTasks,
  tx: Orm,
  { id, endpointId, accountId }: DeliveryRow,
): Promise<void> {
  await tasks.openGroup(tx, { id: endpointId, accountId });
  await tasks.add(tx, [{ groupId: endpointId, queue: "delivery", subject: id }]);
}
