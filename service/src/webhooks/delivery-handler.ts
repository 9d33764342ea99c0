/**
 * Works on a delivery: one attempt to hand the message over, then one short transaction that says what came of it.
 *
 * What did not arrive is tried again later (retry-schedule.ts). An endpoint that says it is gone, or at which nothing has
 * arrived for long, is switched off. If the process dies in between, the message is sent again: each arrives at least
 * once, and always under the same id.
 */
import { and, eq } from "drizzle-orm";
import type { Database, Orm } from "../db/database.ts";
import type { ProcessRegistry } from "../queue/process-registry.ts";
import type { OnExhausted, Task, TaskHandler } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import { disableEndpoint } from "./auto-disable.ts";
import { lockEndpoint } from "./endpoint-lock.ts";
import type { Post, PostResult } from "./http-post.ts";
import type { DeliveryRow, EndpointRow } from "./present-webhook.ts";
import { nextAttemptAt, type RetrySchedule } from "./retry-schedule.ts";
import { webhookDeliveries, webhookEndpoints } from "./schema.ts";
import { signedHeaders } from "./signature.ts";

export type DeliveryRunDeps = {
  database: Pick<Database, "orm">;
  tasks: Pick<Tasks, "complete" | "postpone" | "closeGroup">;
  processes: Pick<ProcessRegistry, "id">;
  post: Post;
  retryPlan: RetrySchedule;
  /** When a message is given up and nothing has arrived for as long as this, the endpoint is switched off. */
  switchOffAfterMs: number;
  userAgent: string;
  /** It was switched off by us. */
  onSwitchedOff: (endpoint: EndpointRow, reason: string) => void;
};

export function deliveryHandler(deps: DeliveryRunDeps): TaskHandler {
  const { database, tasks, processes, userAgent } = deps;
  const { orm } = database;
  return async (task, signal) => {
    const found = await findPending(orm, task.subject);
    if (!found) {
      await tasks.complete(orm, task, processes.id); // it is settled otherwise, or erased
      return;
    }
    const { delivery, endpoint } = found;
    const { url } = endpoint;
    const { id, body } = delivery;
    const sentAt = new Date();
    const signed = signedHeaders(id, sentAt, body, secretsOf(endpoint, sentAt));
    const headers = { ...signed, "content-type": "application/json", "user-agent": userAgent };
    const attempt = await deps.post({ url, headers, body }, signal);
    // We are stopping, which is no fault of theirs: whoever has the task next sends it.
    if (!attempt.hasArrived) signal.throwIfAborted();
    const reason = await orm.transaction((tx) => save(deps, tx, task, attempt, sentAt));
    if (reason) deps.onSwitchedOff(endpoint, reason);
  };
}

/** For when working on it failed again and again, by our own fault. */
export function giveUpDelivery({ database }: Pick<DeliveryRunDeps, "database">): OnExhausted {
  return (task) =>
    database.orm.transaction(async (tx) => {
      await lockEndpoint(tx, task.groupId);
      await tx
        .update(webhookDeliveries)
        .set({ state: "failed", nextAttemptAt: null, trouble: "Something went wrong on our side." })
        .where(isPending(task.subject));
    });
}

async function findPending(orm: Pick<Orm, "select">, deliveryId: string) {
  const [found] = await orm
    .select({ delivery: webhookDeliveries, endpoint: webhookEndpoints })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(isPending(deliveryId));
  return found;
}

function isPending(deliveryId: string) {
  return and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.state, "pending"));
}

function secretsOf({ secret, previousSecret, previousSecretUntil }: EndpointRow, now: Date): string[] {
  const isStillGood = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > now;
  return isStillGood ? [secret, previousSecret] : [secret];
}

/** Why this switched the endpoint off, if it did. Nothing is saved when the task is no longer ours. */
async function save(
  deps: DeliveryRunDeps,
  tx: Orm,
  task: Task,
  attempt: PostResult,
  sentAt: Date,
): Promise<string | undefined> {
  const { tasks, processes } = deps;
  const endpoint = await lockEndpoint(tx, task.groupId);
  const [delivery] = await tx.select().from(webhookDeliveries).where(isPending(task.subject));
  if (!endpoint || !delivery) return undefined;

  const next = nextAfter(deps, delivery, attempt);
  const isOurs = next
    ? await tasks.postpone(tx, task, processes.id, { dueInMs: Math.max(0, next.getTime() - Date.now()) })
    : await tasks.complete(tx, task, processes.id);
  if (!isOurs) return undefined;

  const stateOtherwise = next ? "pending" : "failed";
  await tx
    .update(webhookDeliveries)
    .set({
      state: attempt.hasArrived ? "delivered" : stateOtherwise,
      attempts: delivery.attempts + 1,
      responseStatus: attempt.status ?? null,
      trouble: attempt.trouble ?? null,
      lastAttemptAt: sentAt,
      nextAttemptAt: next ?? null,
    })
    .where(eq(webhookDeliveries.id, delivery.id));
  const failingSince = attempt.hasArrived ? null : (endpoint.failingSince ?? sentAt);
  if (failingSince !== endpoint.failingSince) {
    await tx.update(webhookEndpoints).set({ failingSince }).where(eq(webhookEndpoints.id, endpoint.id));
  }
  const reason = failingSince && !next ? whySwitchOff(deps, attempt, failingSince) : undefined;
  if (reason) await disableEndpoint(tasks, tx, endpoint, reason);
  return reason;
}

const GONE = 410;

function nextAfter(
  { retryPlan }: DeliveryRunDeps,
  { seriesAt, attempts, attemptsBefore }: DeliveryRow,
  { hasArrived, status }: PostResult,
): Date | undefined {
  if (hasArrived || status === GONE) return undefined;
  const series = { startedAt: seriesAt, attempts: attempts - attemptsBefore + 1 };
  return nextAttemptAt(retryPlan, series, new Date());
}

/** After a message has failed for good. */
function whySwitchOff(
  { switchOffAfterMs }: DeliveryRunDeps,
  { status }: PostResult,
  failingSince: Date,
): string | undefined {
  if (status === GONE) return "It answered 410 Gone.";
  if (Date.now() - failingSince.getTime() < switchOffAfterMs) return undefined;
  return `Nothing has arrived there since ${failingSince.toISOString()}.`;
}
