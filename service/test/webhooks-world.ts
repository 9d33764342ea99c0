/** Webhooks on a real database and queue, with the lab's DNS and receivers on loopback. */
import { randomUUID } from "node:crypto";
import type { WebhookEvent } from "@mailvet/contract";
import { createResolver } from "@mailvet/engine";
import { type MailWorld, openLab } from "@mailvet/lab";
import { sql } from "drizzle-orm";
import { accounts } from "../src/accounts/schema.ts";
import type { Owner } from "../src/base/caller.ts";
import { mayHaveEventsSql } from "../src/jobs/retention.ts";
import type { Task } from "../src/queue/task.ts";
import { createWebhooks, type WebhookSettings, type Webhooks } from "../src/webhooks/webhooks.ts";
import { openClaims } from "./claims.ts";
import { openTestDatabase } from "./database.ts";
import { recordEvents } from "./recorded-events.ts";

export type WebhookWorld = Awaited<ReturnType<typeof openWebhookWorld>>;
export type OwnerEmail = { accountId: string; subject: string; text: string };
export type Opening = {
  names?: MailWorld;
  egressAllow?: string[];
  outgoingPorts?: number[];
  settings?: Partial<WebhookSettings>;
};

export const LOOPBACK = ["127.0.0.0/8"];
const HOUR_MS = 3_600_000;
export async function openWebhookWorld() {
  const database = await openTestDatabase();
  const { orm, pool } = database;
  const claims = openClaims(database);
  const { tasks } = claims;
  const emails: OwnerEmail[] = [];
  const outcomes: string[] = [];
  const { log, events } = recordEvents();
  const closers: (() => unknown)[] = [];

  /** A process of the service. */
  const open = async (opening: Opening = {}) => {
    const { names = {}, egressAllow = LOOPBACK, outgoingPorts = [443], settings = {} } = opening;
    const lab = await openLab(names);
    const resolver = createResolver({ servers: [lab.nameServer], timeoutMs: 60_000 });
    const webhooks = createWebhooks({
      database,
      tasks,
      resolver,
      egressAllow,
      outgoingPorts,
      version: "1.2.3",
      emailOwner: async (accountId, subject, text) => {
        emails.push({ accountId, subject, text });
      },
      mayHaveEventsSql,
      countDelivery: (outcome) => outcomes.push(outcome),
      log,
      settings,
    });
    closers.push(
      () => webhooks.close(),
      resolver.close,
      () => lab[Symbol.asyncDispose](),
    );
    const claim = () => claims.claim("delivery");
    const run = (task: Task, signal: AbortSignal = new AbortController().signal): Promise<void> =>
      webhooks.deliveryHandler(task, signal);
    return {
      webhooks,
      claim,
      run,
      /** Runs every due task concurrently. */
      async runDue(): Promise<number> {
        const claimed = await claim();
        await Promise.all(claimed.map((task) => run(task)));
        return claimed.length;
      },
    };
  };

  return {
    ...claims,
    database,
    emails,
    /** Of every attempt, as counted for the metrics. */
    outcomes,
    events,
    open,

    async account(): Promise<string> {
      const id = randomUUID();
      await orm.insert(accounts).values({ id, email: `${id}@shop.example`, plan: "payg" });
      return id;
    },

    publish: ({ webhooks }: { webhooks: Webhooks }, accountId: string, event: WebhookEvent, data = {}) =>
      orm.transaction((tx) => webhooks.publish(tx, live(accountId), event, data)),

    /** Makes every waiting task of an endpoint due. */
    hurry: (endpointId: string) =>
      orm.execute(sql`update tasks set due_at = now() where group_id = ${endpointId} and state = 'waiting'`),

    /** However slow the test is, they do not fall due. */
    delay: (endpointId: string) =>
      orm.execute(sql`update tasks set due_at = due_at + interval '1 day' where group_id = ${endpointId}`),

    /** As if the endpoint had been failing for this long. */
    failingFor: (endpointId: string, hours: number) =>
      orm.execute(sql`update webhook_endpoints
        set failing_since = ${new Date(Date.now() - hours * HOUR_MS).toISOString()} where id = ${endpointId}`),

    /** When each waiting task of an endpoint is due. */
    async dueAtMs(endpointId: string): Promise<number[]> {
      const text = "select due_at from tasks where group_id = $1";
      return (await pool.query<{ due_at: Date }>(text, [endpointId])).rows.map(({ due_at }) => +due_at);
    },

    /** Deletes everything, so that no task of one test falls due in the next. */
    async clear() {
      outcomes.length = 0;
      await pool.query("delete from queue_groups");
      await pool.query("delete from tasks");
      await pool.query("delete from webhook_endpoints");
    },

    async close() {
      for (const close of closers.reverse()) await close();
      await database.close();
    },
  };
}

export type Process = Awaited<ReturnType<WebhookWorld["open"]>>;

export function live(accountId: string): Owner {
  return { accountId, isTest: false };
}
