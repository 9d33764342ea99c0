/** Delivery history of an endpoint: list, send a test message, replay, delete after 30 days. */
import type { DeliveryListQuery, WebhookDelivery } from "@mailvet/contract";
import { and, count, desc, eq, sql } from "drizzle-orm";
import { accountSql } from "../accounts/account-queries.ts";
import type { Owner } from "../base/caller.ts";
import { Refusal } from "../base/refusal.ts";
import { batchedDelete } from "../db/batched-delete.ts";
import type { BeforeCommit, Database, Orm } from "../db/database.ts";
import type { Redrive } from "../queue/dead-letters.ts";
import type { Tasks } from "../queue/tasks.ts";
import { findOwnEndpoint, lockEndpoint, lockOwnEndpoint, requireEnabled } from "./endpoint-lock.ts";
import { type DeliveryRow, presentDelivery } from "./present-webhook.ts";
import { addDelivery, addDeliveryTask } from "./publish-event.ts";
import { webhookDeliveries } from "./schema.ts";

/** Throws webhook_not_found for an unknown endpoint or one of another owner. */
export type DeliveryLog = {
  /** Newest first. */
  deliveries(
    owner: Owner,
    endpointId: string,
    query: DeliveryListQuery,
  ): Promise<{ deliveries: WebhookDelivery[]; total: number }>;
  /** Those of an account's endpoint, newest first, in batches. */
  allDeliveries(accountId: string, endpointId: string): AsyncGenerator<WebhookDelivery[]>;
  /** Sends webhook.test to this endpoint, whatever events it subscribes to. Throws webhook_disabled. */
  test(
    owner: Owner,
    endpointId: string,
    beforeCommit?: BeforeCommit<WebhookDelivery>,
  ): Promise<WebhookDelivery>;
  /**
   * Sends the same message with the same id in a new series of attempts; a pending one is sent now. Throws
   * delivery_not_found and webhook_disabled.
   */
  replay(
    owner: Owner,
    endpointId: string,
    deliveryId: string,
    beforeCommit?: BeforeCommit<WebhookDelivery>,
  ): Promise<WebhookDelivery>;
  /** Sends what was held while the account was suspended, in new series of attempts. */
  releaseHeld(accountId: string): Promise<void>;
  /** Deletes deliveries past retention; returns how many. */
  eraseOld(): Promise<number>;
};

export type DeliveryLogDeps = {
  database: Database;
  tasks: Pick<Tasks, "openGroup" | "add" | "expedite" | "closeGroup">;
  /** SQL: whether there may be events of the job in this column (jobs/retention.ts). */
  mayHaveEventsSql(jobIdColumn: string): string;
};

const KEPT_DAYS = 30;
const EXPORTED_AT_ONCE = 500;

export function createDeliveryLog({ database, tasks, mayHaveEventsSql }: DeliveryLogDeps): DeliveryLog {
  const { orm, pool } = database;
  return {
    async deliveries(owner, endpointId, { skip, limit, state }) {
      await findOwnEndpoint(orm, owner, endpointId);
      const isOfState = state && eq(webhookDeliveries.state, state);
      const wanted = and(eq(webhookDeliveries.endpointId, endpointId), isOfState);
      const [rows, [counted]] = await Promise.all([
        orm
          .select()
          .from(webhookDeliveries)
          .where(wanted)
          .orderBy(desc(webhookDeliveries.createdAt), desc(webhookDeliveries.id))
          .limit(limit)
          .offset(skip),
        orm.select({ total: count() }).from(webhookDeliveries).where(wanted),
      ]);
      return { deliveries: rows.map(presentDelivery), total: counted?.total ?? 0 };
    },

    async *allDeliveries(accountId, endpointId) {
      for (let last: string | undefined; ; ) {
        const { createdAt, id } = webhookDeliveries;
        const isOlder =
          last &&
          sql`(${createdAt}, ${id}) < (select created_at, id from webhook_deliveries where id = ${last})`;
        const rows = await orm
          .select()
          .from(webhookDeliveries)
          .where(
            and(
              eq(webhookDeliveries.accountId, accountId),
              eq(webhookDeliveries.endpointId, endpointId),
              isOlder || undefined,
            ),
          )
          .orderBy(desc(createdAt), desc(id))
          .limit(EXPORTED_AT_ONCE);
        if (rows.length > 0) yield rows.map(presentDelivery);
        if (rows.length < EXPORTED_AT_ONCE) return;
        last = rows.at(-1)!.id;
      }
    },

    test: (owner, endpointId, beforeCommit) =>
      orm.transaction(async (tx) => {
        const endpoint = await lockOwnEndpoint(tx, owner, endpointId);
        requireEnabled(endpoint);
        const event = {
          event: "webhook.test",
          occurredAt: new Date(),
          data: { webhook_id: endpointId },
        } as const;
        const delivery = presentDelivery(await addDelivery(tasks, tx, endpoint, event));
        await beforeCommit?.(tx, delivery);
        return delivery;
      }),

    replay: (owner, endpointId, deliveryId, beforeCommit) =>
      orm.transaction(async (tx) => {
        const endpoint = await lockOwnEndpoint(tx, owner, endpointId);
        const delivery = await findDelivery(tx, endpointId, deliveryId);
        requireEnabled(endpoint);
        const isPending = delivery.state === "pending";
        const row = isPending ? await expedite(tasks, tx, delivery) : await beginSeries(tx, delivery);
        if (!isPending) await addDeliveryTask(tasks, tx, row);
        const replayed = presentDelivery(row);
        await beforeCommit?.(tx, replayed);
        return replayed;
      }),

    async releaseHeld(accountId) {
      const isPending = and(
        eq(webhookDeliveries.accountId, accountId),
        eq(webhookDeliveries.state, "pending"),
      );
      const endpoints = await orm
        .select({ id: webhookDeliveries.endpointId })
        .from(webhookDeliveries)
        .where(isPending)
        .groupBy(webhookDeliveries.endpointId);
      for (const { id } of endpoints) {
        await orm.transaction(async (tx) => {
          if (!(await lockEndpoint(tx, id))) return;
          await tasks.closeGroup(tx, id); // the tasks that hold them, or have not found the suspension yet
          const held = await tx
            .select()
            .from(webhookDeliveries)
            .where(and(isPending, eq(webhookDeliveries.endpointId, id)))
            .orderBy(webhookDeliveries.createdAt);
          for (const delivery of held) await addDeliveryTask(tasks, tx, await beginSeries(tx, delivery));
        });
      }
    },

    async eraseOld() {
      await batchedDelete(pool, eraseJobEndpoints(mayHaveEventsSql), KEPT_DAYS);
      return batchedDelete(pool, ERASE_DELIVERIES, KEPT_DAYS);
    },
  };
}

/** An old delivery that was replayed may still be pending. One that is held for a suspended account is not kept for longer. */
const ERASE_DELIVERIES = `
delete from webhook_deliveries where id = any(array(
  select d.id from webhook_deliveries d ${accountSql.join("d.account_id")}
  where d.created_at < now() - $2::int * interval '1 day' and (d.state <> 'pending' or ${accountSql.isSuspended})
  order by d.created_at limit $1 for update of d skip locked
))`;

/** Endpoints of single jobs, which have ended long before and cannot be checked again; with their deliveries. */
const eraseJobEndpoints = (mayHaveEventsSql: DeliveryLogDeps["mayHaveEventsSql"]) => `
delete from webhook_endpoints where id = any(array(
  select e.id from webhook_endpoints e
  where e.job_id is not null and e.created_at < now() - 3 * $2::int * interval '1 day'
    and not ${mayHaveEventsSql("e.job_id")}
    and not exists (select from webhook_deliveries d where d.endpoint_id = e.id and d.state = 'pending')
  limit $1 for update skip locked
))`;

async function findDelivery(tx: Orm, endpointId: string, deliveryId: string): Promise<DeliveryRow> {
  const isIt = and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.endpointId, endpointId));
  const [delivery] = await tx.select().from(webhookDeliveries).where(isIt).for("update");
  if (delivery) return delivery;
  throw new Refusal("delivery_not_found", "No delivery with this id exists at this endpoint.");
}

/** A failed delivery is sent again in a new series, unless its endpoint is disabled. */
export function redriveDelivery(tasks: Pick<Tasks, "openGroup" | "add">): Redrive {
  return async (tx, { groupId: endpointId, subject: id }) => {
    const endpoint = await lockEndpoint(tx, endpointId);
    const isIt = and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.state, "failed"));
    const [delivery] = await tx.select().from(webhookDeliveries).where(isIt).for("update");
    if (!endpoint?.isEnabled || !delivery) return false;
    await addDeliveryTask(tasks, tx, await beginSeries(tx, delivery));
    return true;
  };
}

async function beginSeries(tx: Orm, { id, attempts }: DeliveryRow): Promise<DeliveryRow> {
  const now = new Date();
  return change(tx, id, { state: "pending", seriesAt: now, attemptsBefore: attempts, nextAttemptAt: now });
}

/** If it is claimed, it is being sent right now. */
async function expedite(
  tasks: DeliveryLogDeps["tasks"],
  tx: Orm,
  delivery: DeliveryRow,
): Promise<DeliveryRow> {
  const isWaiting = await tasks.expedite(tx, delivery.endpointId, delivery.id);
  return isWaiting ? change(tx, delivery.id, { nextAttemptAt: new Date() }) : delivery;
}

async function change(tx: Orm, id: string, changes: Partial<DeliveryRow>): Promise<DeliveryRow> {
  const isIt = eq(webhookDeliveries.id, id);
  const [changed] = await tx.update(webhookDeliveries).set(changes).where(isIt).returning();
  return changed!;
}
