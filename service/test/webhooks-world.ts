/** Webhooks on a real database and queue, with the names of a lab, and receivers on loopback. */
import { randomUUID } from "node:crypto";
import type { WebhookEvent } from "@mailvet/contract";
import { createResolver } from "@mailvet/engine";
import { type MailWorld, openLab } from "@mailvet/lab";
import { sql } from "drizzle-orm";
import { accounts } from "../src/accounts/schema.ts";
import { createTasks, type Task } from "../src/queue/tasks.ts";
import { createWebhooks, type WebhookSettings, type Webhooks } from "../src/webhooks/webhooks.ts";
import { openTestDatabase } from "./database.ts";

export type WebhookWorld = Awaited<ReturnType<typeof openWebhookWorld>>;
export type Notice = { accountId: string; subject: string; text: string };
export type Opening = {
  names?: MailWorld;
  egressAllow?: string[];
  settings?: Partial<WebhookSettings>;
};

export const LOOPBACK = ["127.0.0.0/8"];
const HOUR_MS = 3_600_000;
export async function openWebhookWorld() {
  const database = await openTestDatabase();
  const { orm, pool } = database;
  const tasks = createTasks({ database });
  const notices: Notice[] = [];
  const said: string[] = [];
  const closers: (() => unknown)[] = [];

  /** A process of the service. */
  const open = async ({ names = {}, egressAllow = LOOPBACK, settings = {} }: Opening = {}) => {
    const lab = await openLab(names);
    const resolver = createResolver({ servers: [lab.nameServer], timeoutMs: 1000 });
    const processes = { id: randomUUID() };
    const webhooks = createWebhooks({
      database,
      tasks,
      processes,
      resolver,
      egressAllow,
      version: "1.2.3",
      mailNotice: async (accountId, subject, text) => {
        notices.push({ accountId, subject, text });
      },
      say: (text) => said.push(text),
      settings,
    });
    closers.push(
      () => webhooks.close(),
      resolver.close,
      () => lab[Symbol.asyncDispose](),
    );
    const claim = () => tasks.claim("webhooks", processes.id, 100);
    const run = (task: Task, signal: AbortSignal = new AbortController().signal): Promise<void> =>
      webhooks.deliveryHandler(task, signal);
    return {
      webhooks,
      processes,
      claim,
      run,
      /** Everything that is due, all at the same time. */
      async runDue(): Promise<number> {
        const claimed = await claim();
        await Promise.all(claimed.map((task) => run(task)));
        return claimed.length;
      },
    };
  };

  return {
    database,
    tasks,
    notices,
    said,
    open,

    async account(): Promise<string> {
      const id = randomUUID();
      await orm.insert(accounts).values({ id, email: `${id}@house.example`, plan: "payg" });
      return id;
    },

    announce: ({ webhooks }: { webhooks: Webhooks }, accountId: string, event: WebhookEvent, data = {}) =>
      orm.transaction((tx) => webhooks.announce(tx, accountId, event, data)),

    /** As if everything that waits at an endpoint had waited long enough. */
    hurry: (endpointId: string) =>
      orm.execute(sql`update tasks set due_at = now() where lane_id = ${endpointId} and process_id is null`),

    /** As if nothing had arrived at it for so long. */
    failingFor: (endpointId: string, hours: number) =>
      orm.execute(sql`update webhook_endpoints
        set failing_since = ${new Date(Date.now() - hours * HOUR_MS).toISOString()} where id = ${endpointId}`),

    /** How much longer what waits at an endpoint has to wait. */
    async dueInSeconds(endpointId: string): Promise<number[]> {
      const text =
        "select extract(epoch from due_at - now())::float as seconds from tasks where lane_id = $1";
      return (await pool.query<{ seconds: number }>(text, [endpointId])).rows.map(({ seconds }) => seconds);
    },

    /** Nothing waits any more: what a test leaves behind must not fall due in the next one. */
    async forget() {
      await pool.query("delete from lanes");
      await pool.query("delete from webhook_endpoints");
    },

    async close() {
      for (const close of closers.reverse()) await close();
      await database.close();
    },
  };
}

export type Process = Awaited<ReturnType<WebhookWorld["open"]>>;
