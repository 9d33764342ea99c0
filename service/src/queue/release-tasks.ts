/** Releases claimed tasks that no process works on any more. */
import type pg from "pg";
import type { QueueName } from "./task.ts";
import { withIndexPlans } from "./with-index-plans.ts";

/**
 * Releases tasks claimed by this process but not running in it, e.g. because the response to the claim was lost. Returns
 * how many.
 */
export function releaseOrphaned(
  pool: pg.Pool,
  queue: QueueName,
  processId: string,
  running: readonly number[],
): Promise<number> {
  return withIndexPlans(pool, async (client) => {
    const values = [queue, processId, running];
    const { rowCount } = await client.query({ name: "release-orphaned", text: RELEASE_ORPHANED, values });
    return rowCount ?? 0;
  });
}

/** Releases the tasks of processes that are not registered. Returns how many; locked rows are left for the next call. */
export async function releaseTasksOfExpired(client: pg.ClientBase): Promise<number> {
  const { rowCount } = await client.query({ name: "release-tasks-of-expired", text: RELEASE_OF_EXPIRED });
  return rowCount ?? 0;
}

/** Releases every task of a process, in the transaction that unregisters it. */
export async function releaseTasksOf(client: pg.ClientBase, processId: string): Promise<void> {
  await client.query({ name: "release-tasks-of", text: RELEASE_OF_PROCESS, values: [processId] });
}

/** SQL condition: the process in this column is not registered. */
export const isUnregistered = (processId: string) =>
  `not exists (select from processes p where p.id = ${processId})`;

// Locked rows are being completed, postponed or deleted. Waiting for several locks in arbitrary order could deadlock.
const RELEASE_ORPHANED = `
update tasks set process_id = null, taken_at = null
where id = any(array(
  select t.id from tasks t
  where t.process_id = $2 and t.id <> all($3::bigint[])
    and (select l.line from lanes l where l.id = t.lane_id) = $1
  for update of t skip locked
))
returning pg_notify('tasks', $1)`;

const NOTIFY_QUEUE = "pg_notify('tasks', (select l.line from lanes l where l.id = lane_id))";

const RELEASE_OF_PROCESS = `
update tasks set process_id = null, taken_at = null
where id = any(array(select id from tasks where process_id = $1 for update skip locked))
returning ${NOTIFY_QUEUE}`;

const RELEASE_OF_EXPIRED = `
update tasks set process_id = null, taken_at = null, losses = losses + 1
where id = any(array(
  select t.id from tasks t where t.process_id is not null and ${isUnregistered("t.process_id")}
  for update of t skip locked
))
returning ${NOTIFY_QUEUE}`;
