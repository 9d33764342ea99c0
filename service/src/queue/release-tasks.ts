/** Tasks that go back to their lanes because nobody works on them any more. */
import type pg from "pg";
import { deleteLeasesOf, deleteOrphanedLeases } from "../pacing/lease-sql.ts";
import type { QueueName } from "./tasks.ts";
import { withIndexPlans } from "./with-index-plans.ts";

/**
 * What a living process has by name only, for all it knows: a claim whose answer was lost on the way, or a task whose
 * handler just stopped. Returns how many.
 */
export function releaseOrphaned(
  pool: pg.Pool,
  line: QueueName,
  processId: string,
  kept: readonly number[],
): Promise<number> {
  return withIndexPlans(pool, async (client) => {
    const { rowCount } = await client.query({
      name: "give-back-strays",
      text: GIVE_BACK_STRAYS,
      values: [line, processId, kept],
    });
    return rowCount ?? 0;
  });
}

/**
 * Everything in the name of processes that are not registered (any more): tasks, and places at mail hosts. Returns how
 * many tasks. What is passed over because it is locked is found the next time.
 */
export async function releaseExpiredProcesses(client: pg.ClientBase): Promise<number> {
  const { rowCount } = await client.query({ name: "give-back-of-the-dead", text: GIVE_BACK_OF_THE_DEAD });
  await deleteOrphanedLeases(client, IS_DEAD);
  return rowCount ?? 0;
}

/** Everything that this process has, in the transaction in which it goes. */
export async function releaseAll(client: pg.ClientBase, processId: string): Promise<void> {
  const values = [processId];
  await client.query({ name: "give-back-all", text: GIVE_BACK_ALL, values });
  await deleteLeasesOf(client, processId);
}

// What is locked is being completed, postponed or closed at this moment. Waiting for several locks, in whatever order they
// come, could end in a circle.
const GIVE_BACK_STRAYS = `
update tasks set process_id = null, taken_at = null
where id = any(array(
  select t.id from tasks t
  where t.process_id = $2 and t.id <> all($3::bigint[])
    and (select l.line from lanes l where l.id = t.lane_id) = $1
  for update of t skip locked
))
returning pg_notify('tasks', $1)`;

const NOTICE = "pg_notify('tasks', (select l.line from lanes l where l.id = lane_id))";

const GIVE_BACK_ALL = `
update tasks set process_id = null, taken_at = null
where id = any(array(select id from tasks where process_id = $1 for update skip locked))
returning ${NOTICE}`;

const IS_DEAD = "not exists (select from processes p where p.id = held.process_id)";

const GIVE_BACK_OF_THE_DEAD = `
update tasks set process_id = null, taken_at = null, losses = losses + 1
where id = any(array(
  select held.id from tasks held where held.process_id is not null and ${IS_DEAD} for update of held skip locked
))
returning ${NOTICE}`;
