/**
 * Task handler for deliveries: one POST, then one short transaction that saves its outcome.
 *
 * Deliveries of a suspended account are held: their task asks again every few minutes, and they are released at once when the
 * account is resumed (delivery-log.ts). Failed deliveries are retried (retry-schedule.ts). An endpoint that answers 410, has
 * had no successful delivery for long, or whose delivery fails by internal errors, is disabled. If the process dies before
 * the outcome is saved, the message is sent again: delivery is at least once, always with the same id.
 */
import { and, eq, sql } from "drizzle-orm";
import { accountSql } from "../accounts/account-queries.ts";
import { recordAudit, SYSTEM } from "../audit/audit-writer.ts";
import type { Database, Orm } from "../db/database.ts";
import type { OnExhausted, Task, TaskHandler } from "../queue/task.ts";
import type { Tasks } from "../queue/tasks.ts";
import { disableEndpoint } from "./auto-disable.ts";
import { lockEndpoint } from "./endpoint-lock.ts";
import type { Post, PostResult } from "./http-post.ts";
import type { DeliveryRow, EndpointRow } from "./present-webhook.ts";
import { nextAttemptAt, type RetrySchedule } from "./retry-schedule.ts";
import { webhookDeliveries, webhookEndpoints } from "./schema.ts";
import { signedHeaders } from "./signature.ts";

export type DeliveryHandlerDeps = {
  database: Pick<Database, "orm">;
  tasks: Pick<Tasks, "complete" | "postpone" | "closeGroup">;
  post: Post;
  retrySchedule: RetrySchedule;
  /** If a delivery fails for good and none has succeeded for this long, the endpoint is disabled. */
  disableAfterMs: number;
  userAgent: string;
  /** The endpoint was disabled automatically. */
  onDisabled: (endpoint: EndpointRow, reason: string) => void;
  /** W3C traceparent of the current span (base/tracing.ts), for the receiver. */
  currentTrace?: (() => string | undefined) | undefined;
  /** For the metrics: every attempt whose outcome was saved. */
  countDelivery?: ((outcome: DeliveryAttemptOutcome) => void) | undefined;
};

export type DeliveryAttemptOutcome = "delivered" | "retried" | "failed";

export function deliveryHandler(deps: DeliveryHandlerDeps): TaskHandler {
  const { database, tasks, userAgent } = deps;
  const { orm } = database;
  return async (task, signal) => {
    const found = await findPending(orm, task.subject);
    if (!found) {
      await tasks.complete(orm, task); // already settled or deleted
      return;
    }
    const { delivery, endpoint } = found;
    if (found.isHeld) {
      await orm.transaction((tx) => hold(tasks, tx, task, delivery));
      return;
    }
    const { url, isTest, jobId } = endpoint;
    const use = { isTest, kind: jobId === null ? "endpoint" : "job" } as const;
    const { id, body } = delivery;
    const sentAt = new Date();
    const signed = signedHeaders(id, sentAt, body, secretsOf(endpoint, sentAt));
    const traceparent = deps.currentTrace?.();
    const headers = {
      ...signed,
      "content-type": "application/json",
      "user-agent": userAgent,
      ...(traceparent !== undefined && { traceparent }),
    };
    const attempt = await deps.post({ url, use, headers, body }, signal);
    // A shutdown is not a failed attempt: the next claim of the task sends the message.
    if (!attempt.isDelivered) signal.throwIfAborted();
    const saved = await orm.transaction((tx) => save(deps, tx, task, attempt, sentAt));
    if (!saved) return;
    deps.countDelivery?.(saved.outcome);
    if (saved.disabledBecause) deps.onDisabled(endpoint, saved.disabledBecause);
  };
}

/**
 * Marks a delivery as failed after repeated internal errors, and disables its endpoint: perhaps it is the endpoint by which
 * processes died, and each event would be another such task.
 */
export function onDeliveryExhausted({
  tasks,
  onDisabled,
}: Pick<DeliveryHandlerDeps, "tasks" | "onDisabled">): OnExhausted {
  return async (tx, task) => {
    const endpoint = await lockEndpoint(tx, task.groupId);
    await tx
      .update(webhookDeliveries)
      .set({ state: "failed", nextAttemptAt: null, trouble: "An internal error prevented the delivery." })
      .where(isPending(task.subject));
    if (endpoint?.isEnabled) {
      await disableAutomatically(tasks, tx, endpoint, EXHAUSTED);
      onDisabled(endpoint, EXHAUSTED);
    }
    return undefined;
  };
}

const EXHAUSTED = "A delivery failed repeatedly because of an internal error.";

async function disableAutomatically(
  tasks: DeliveryHandlerDeps["tasks"],
  tx: Orm,
  endpoint: EndpointRow,
  reason: string,
): Promise<void> {
  await disableEndpoint(tasks, tx, endpoint, reason);
  const { id: subjectId, accountId } = endpoint;
  await recordAudit(tx, SYSTEM, { action: "webhook.disabled", accountId, subjectId });
}

async function findPending(orm: Pick<Orm, "select">, deliveryId: string) {
  const [found] = await orm
    .select({
      delivery: webhookDeliveries,
      endpoint: webhookEndpoints,
      isHeld: sql<boolean>`exists (select from (select ${webhookDeliveries.accountId} as id) owner
        ${sql.raw(accountSql.join("owner.id"))} where ${sql.raw(accountSql.isSuspended)})`,
    })
    .from(webhookDeliveries)
    .innerJoin(webhookEndpoints, eq(webhookEndpoints.id, webhookDeliveries.endpointId))
    .where(isPending(deliveryId));
  return found;
}

function isPending(deliveryId: string) {
  return and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.state, "pending"));
}

function secretsOf({ secret, previousSecret, previousSecretUntil }: EndpointRow, now: Date): string[] {
  const isStillValid = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > now;
  return isStillValid ? [secret, previousSecret] : [secret];
}

const HELD_FOR_MS = 10 * 60_000;

/** The retry schedule begins when the account is resumed. */
async function hold(
  tasks: DeliveryHandlerDeps["tasks"],
  tx: Orm,
  task: Task,
  { id, attempts }: DeliveryRow,
): Promise<void> {
  await lockEndpoint(tx, task.groupId); // not while it is released
  const next = new Date(Date.now() + HELD_FOR_MS);
  if (!(await tasks.postpone(tx, task, { dueInMs: HELD_FOR_MS }))) return;
  await tx
    .update(webhookDeliveries)
    .set({ seriesAt: next, attemptsBefore: attempts, nextAttemptAt: next })
    .where(isPending(id));
}

type SavedDelivery = { outcome: DeliveryAttemptOutcome; disabledBecause: string | undefined };

/** Saves nothing, and returns undefined, if the claim on the task is lost. */
async function save(
  deps: DeliveryHandlerDeps,
  tx: Orm,
  task: Task,
  attempt: PostResult,
  sentAt: Date,
): Promise<SavedDelivery | undefined> {
  const { tasks } = deps;
  const endpoint = await lockEndpoint(tx, task.groupId);
  const [delivery] = await tx.select().from(webhookDeliveries).where(isPending(task.subject));
  if (!endpoint || !delivery) return undefined;

  const next = nextAfter(deps, delivery, attempt);
  const isSaved = next
    ? await tasks.postpone(tx, task, { dueInMs: Math.max(0, next.getTime() - Date.now()) })
    : await tasks.complete(tx, task);
  if (!isSaved) return undefined;

  const stateIfNot = next ? "pending" : "failed";
  await tx
    .update(webhookDeliveries)
    .set({
      state: attempt.isDelivered ? "delivered" : stateIfNot,
      attempts: delivery.attempts + 1,
      responseStatus: attempt.status ?? null,
      trouble: attempt.error ?? null,
      lastAttemptAt: sentAt,
      nextAttemptAt: next ?? null,
    })
    .where(eq(webhookDeliveries.id, delivery.id));
  const failingSince = attempt.isDelivered ? null : (endpoint.failingSince ?? sentAt);
  if (failingSince !== endpoint.failingSince) {
    await tx.update(webhookEndpoints).set({ failingSince }).where(eq(webhookEndpoints.id, endpoint.id));
  }
  const reason = failingSince && !next ? disableReason(deps, attempt, failingSince) : undefined;
  if (reason) await disableAutomatically(tasks, tx, endpoint, reason);
  const outcomeIfNot = next ? "retried" : "failed";
  return { outcome: attempt.isDelivered ? "delivered" : outcomeIfNot, disabledBecause: reason };
}

const GONE = 410;

function nextAfter(
  { retrySchedule }: DeliveryHandlerDeps,
  { seriesAt, attempts, attemptsBefore }: DeliveryRow,
  { isDelivered, status }: PostResult,
): Date | undefined {
  if (isDelivered || status === GONE) return undefined;
  const series = { startedAt: seriesAt, attempts: attempts - attemptsBefore + 1 };
  return nextAttemptAt(retrySchedule, series, new Date());
}

function disableReason(
  { disableAfterMs }: DeliveryHandlerDeps,
  { status }: PostResult,
  failingSince: Date,
): string | undefined {
  if (status === GONE) return "The endpoint answered 410 Gone.";
  if (Date.now() - failingSince.getTime() < disableAfterMs) return undefined;
  return `No successful delivery since ${failingSince.toISOString()}.`;
}
