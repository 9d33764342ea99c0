/** The queue on a test database, claimed by hand instead of by a worker. */
import type { Database } from "../src/db/database.ts";
import { openBoss } from "../src/queue/boss.ts";
import { createFeed } from "../src/queue/feed.ts";
import type { QueueName, Task } from "../src/queue/task.ts";
import { createTasks } from "../src/queue/tasks.ts";

export function openClaims({ pool }: Pick<Database, "pool">) {
  const boss = openBoss(pool);
  const feed = createFeed({ pool, boss });
  return {
    boss,
    feed,
    tasks: createTasks({ boss }),
    /** Tasks that are due, in fair order. */
    async claim(queue: QueueName, count = 100): Promise<Task[]> {
      while (await feed.feedDue(queue));
      const claimed: Task[] = [];
      for (let isDrained = false; !isDrained && claimed.length < count; ) {
        const claim = await feed.claim(queue, count - claimed.length);
        claimed.push(...claim.tasks);
        isDrained = claim.isDrained;
      }
      return claimed;
    },
    /** As if the process had died while it ran the task, and its heartbeats had expired. */
    async lose({ queue, turn }: Task): Promise<void> {
      await boss.fail(queue, turn);
    },
  };
}
