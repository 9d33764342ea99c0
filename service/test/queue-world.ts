/** A database with accounts, task groups and tasks, for tests of claims and workers. */
import { randomUUID } from "node:crypto";
import { accounts } from "../src/accounts/schema.ts";
import type { QueueName, Task } from "../src/queue/task.ts";
import { openClaims } from "./claims.ts";
import { openTestDatabase } from "./database.ts";

export type QueueWorld = Awaited<ReturnType<typeof openQueueWorld>>;

export type TaskRow = { id: number; state: string; failures: number };

export async function openQueueWorld() {
  const database = await openTestDatabase();
  const { orm, pool } = database;
  const claims = openClaims(database);
  const { tasks } = claims;

  return {
    ...claims,
    database,
    claim: (count: number, queue: QueueName = "slice") => claims.claim(queue, count),

    async account(): Promise<string> {
      const id = randomUUID();
      await orm.insert(accounts).values({ id, email: `${id}@example.com`, plan: "free" });
      return id;
    },

    /** A group with this many tasks. */
    async group(accountId: string, count: number, queue: QueueName = "slice"): Promise<string> {
      const id = randomUUID();
      await orm.transaction(async (tx) => {
        await tasks.openGroup(tx, { id, accountId });
        const added = Array.from({ length: count }, (_, number) => ({
          groupId: id,
          queue,
          subject: String(number),
        }));
        await tasks.add(tx, added);
      });
      return id;
    },

    complete: (task: Task) => tasks.complete(orm, task),

    async rows(): Promise<TaskRow[]> {
      const text = "select id, state, failures from tasks order by id";
      return (await pool.query<TaskRow>(text)).rows;
    },

    [Symbol.asyncDispose]: () => database.close(),
  };
}
