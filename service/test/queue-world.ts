/** A database with accounts and task groups, for tests of claims, processes and workers. */
import { randomUUID } from "node:crypto";
import { accounts } from "../src/accounts/schema.ts";
import type { QueueName, Task } from "../src/queue/task.ts";
import { createTasks } from "../src/queue/tasks.ts";
import { openTestDatabase } from "./database.ts";

export type QueueWorld = Awaited<ReturnType<typeof openQueueWorld>>;

export type TaskRow = { id: number; process_id: string | null; losses: number; failures: number };

export async function openQueueWorld() {
  const database = await openTestDatabase();
  const { orm, pool } = database;
  const tasks = createTasks({ database });
  return {
    database,
    tasks,

    async account(): Promise<string> {
      const id = randomUUID();
      await orm.insert(accounts).values({ id, email: `${id}@example.com`, plan: "free" });
      return id;
    },

    /** A group with this many tasks. */
    async group(accountId: string, count: number, queue: QueueName = "jobs"): Promise<string> {
      const id = randomUUID();
      await orm.transaction(async (tx) => {
        await tasks.openGroup(tx, { id, accountId, queue });
        const kind = queue === "jobs" ? "slice" : "delivery";
        const added = Array.from({ length: count }, (_, number) => ({
          groupId: id,
          kind: kind as Task["kind"],
          subject: String(number),
        }));
        await tasks.add(tx, added);
      });
      return id;
    },

    async rows(): Promise<TaskRow[]> {
      const text = "select id, process_id, losses, failures from tasks order by id";
      return (await pool.query<TaskRow>(text)).rows;
    },

    [Symbol.asyncDispose]: () => database.close(),
  };
}
